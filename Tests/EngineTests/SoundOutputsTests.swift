import Audio
import MIDI
import MusicalTime
import Realtime
import Rhythm
import Testing
import _TestSupport

@testable import Engine

/// Without a card; with one they are heard in the lab.
@Suite struct SoundOutputsTests {
  private func outputs(lead: Int64 = 100, latency: Int64 = 0, recording: String? = nil) throws -> SoundOutputs {
    let text = """
      name: one
      description: A stick.
      meter: 4/4
      bars: 1
      tempo: 120
      kit: { stick: { note: 37 } }
      layers: [ { name: all, activity: [0], steps: { stick: x... x... x... x... } } ]
      """
    var configuration = PeerConfiguration(
      name: "one", tempo: .standard, patch: try PatchLoader.patch(from: text, file: "one.yaml"), patchName: "one",
      soundFont: DrumLanes.defaultSoundFont, command: "test")
    configuration.lead = .milliseconds(lead)
    configuration.latency = .milliseconds(latency)
    configuration.recording = recording
    return try SoundOutputs(configuration)
  }

  /// Lead asked for, latency added by hand, and how far ahead the hits are handed over, in milliseconds.
  @Test(arguments: [
    (100, 0, 50),  // the standard
    (70, 0, 50),  // never less
    (2000, 0, 50),  // what a follower is told by its master has no more lead for that
    (100, 35, 50),  // a latency that fits into it
    (100, 36, 51),  // with 15 ms for the audio thread
    (100, 1000, 1015),
    (2000, 1000, 1015),
  ]) func hitsAreHandedOverAsFarAheadAsTheSlowestNeeds(lead: Int64, latency: Int64, ahead: Int64) throws {
    #expect(try outputs(lead: lead, latency: latency).lead == .milliseconds(ahead))
  }

  @Test func withoutCardAndRecordingHitsAreOnlyCounted() throws {
    let sound = try outputs()
    #expect(
      !sound.isHeard && !sound.areTwo && sound.summary == nil && sound.cardState == nil
        && sound.warning(at: MonotonicClock.now) == nil)
    let rings = ClockRings()
    try sound.start(name: "one", rings: rings)
    let now = MonotonicClock.now
    for n in 0..<3 {
      let instant = now + .milliseconds(100 + 10 * Int64(n))
      rings.sounds.push(SoundEvent(instant: instant, note: 37, velocity: 100, group: 0))
    }
    sound.stop(after: now + .milliseconds(200))
    #expect(sound.counters.hits == 3 && rings.sounds.count == 0)
    try sound.finish()
  }

  @Test func aRecordingHasWhatIsPlayedAtTheFrameOfItsInstant() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let sound = try outputs(recording: path)
    let rings = ClockRings()
    try sound.start(name: "one", rings: rings)
    MonotonicClock.sleep(until: sound.firstInstant + .milliseconds(20))
    let now = MonotonicClock.now
    rings.sounds.push(.message(.noteOn(Channel(4)!, key: 60, velocity: 100), at: now))
    sound.stop(after: now + .milliseconds(300))
    try sound.finish()
    #expect(sound.counters.messages == 1 && sound.counters.droppedNotes == 0)
    let samples = try SoundFile(path: path).samples
    let onset = try #require(samples.firstIndex { abs($0) > 0 })
    let late = onset - Int(FrameGrid.standard.firstFrame(notBefore: now) - sound.firstFrame)
    // The first frame of the period taken next; its very first samples may round to nothing.
    #expect((256..<512 + 8).contains(late), "\(late)")
  }
}
