import Audio
import MIDI
import MusicalTime
import Realtime
import Rhythm
import Testing
import _TestSupport

@testable import Engine

/// Tests of ``SoundOutputs`` without a sound card. The lab tests the outputs with a sound card.
@Suite struct SoundOutputsTests {
  private func outputs(lead: Int64 = 100, latency: Int64 = 0, recording: String? = nil) throws -> SoundOutputs {
    let text = """
      name: one
      description: A stick.
      tempo: 120
      play: { always: { stick: x... x... x... x... } }
      """
    var configuration = PeerConfiguration(
      name: "one", tempo: .standard, patch: try PatchLoader.patch(from: text, file: "one.yaml"), patchName: "one",
      soundFont: InstalledSoundFont.timGM6mb.path, command: "test")
    configuration.lead = .milliseconds(lead)
    configuration.latency = .milliseconds(latency)
    configuration.recording = recording
    return try SoundOutputs(configuration)
  }

  /// The arguments are the configured lead time, the configured latency, and the resulting sound lead in milliseconds. The sound lead
  /// is how long before its instant a hit is passed to the output.
  @Test(arguments: [
    (100, 0, 50),  // the default
    (70, 0, 50),  // a shorter lead time does not reduce the sound lead
    (2000, 0, 50),  // a longer lead time does not increase it
    (100, 35, 50),  // the latency and the margin of 15 ms for the threads fit into the default
    (100, 36, 51),  // the latency and the margin exceed the default
    (100, -100, 50),  // a negative latency does not reduce the sound lead
    (100, 1000, 1015),
    (2000, 1000, 1015),
  ]) func soundLeadCoversTheLatencyAndTheMargin(lead: Int64, latency: Int64, expected: Int64) throws {
    #expect(try outputs(lead: lead, latency: latency).lead == .milliseconds(expected))
  }

  @Test func withoutCardAndRecordingHitsAreOnlyCounted() throws {
    let sound = try outputs()
    // `isHeard` is true if the hits are audible, now or in a recording; `hasTwoOutputs`, if there are a sound card and a recording.
    #expect(
      !sound.isHeard && !sound.hasTwoOutputs && sound.summary == nil && sound.cardState == nil
        && sound.warning(at: MonotonicClock.now) == nil)
    let rings = SoundRings()
    try sound.start(name: "one", rings: rings)
    let now = MonotonicClock.now
    for n in 0..<3 {
      let instant = now + .milliseconds(100 + 10 * Int64(n))
      rings.first.hits.push(SoundEvent(instant: instant, note: 37, velocity: 100, group: 0))
    }
    sound.stop(after: now + .milliseconds(200))
    #expect(sound.counters.hits == 3 && rings.first.hits.count == 0)
    try sound.finish()
  }

  @Test func recordedNoteBeginsInTheNextPeriodAfterItsInstant() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let sound = try outputs(recording: path)
    let rings = SoundRings()
    try sound.start(name: "one", rings: rings)
    MonotonicClock.sleep(until: sound.firstInstant + .milliseconds(20))
    let now = MonotonicClock.now
    rings.first.messages.push(.message(.noteOn(Channel(4)!, key: 60, velocity: 100), at: now))
    sound.stop(after: now + .milliseconds(300))
    try sound.finish()
    #expect(sound.counters.messages == 1 && sound.counters.droppedNotes == 0)
    let samples = try SoundFile(path: path).samples
    let onset = try #require(samples.firstIndex { abs($0) > 0 })
    let delay = onset - Int(FrameGrid.standard.firstFrame(notBefore: now) - sound.firstFrame)
    // At the next multiple of 256 frames, the audio thread renders the period that begins 256 frames later. The note begins with this
    // period, so 256 to 511 frames after its instant. The first samples of the note may round to zero, so `onset` may be a few frames
    // later still.
    #expect((256..<512 + 8).contains(delay), "\(delay)")
  }
}
