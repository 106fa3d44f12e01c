import Audio
import MusicalTime
import Realtime
import Testing
import _TestSupport

/// Tests of the audio thread of a recording, in real time.
@Suite struct AudioThreadTests {
  @Test func threadRecordsUntilTheRequestedEnd() throws {
    // The test uses the real clock, so underruns may happen. Even then the recording has its full length, and the hit is
    // played in time or late.
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    let events = SoundEvents()
    let thread = AudioThread(events: events, module: try SoundModule(.timGM6mb), sink: .wav(output))
    #expect(FrameGrid.standard.instant(of: thread.firstFrame) == thread.firstInstant)
    events.push(SoundEvent(instant: thread.firstInstant + .milliseconds(15), note: 38, velocity: 100, group: 0))
    let end = thread.firstInstant + .milliseconds(60)
    thread.stop(after: end)
    try output.finish()

    let recording = try SoundFile(path: path)
    let counters = thread.counters
    #expect(counters.hits == 1 && counters.dropped == 0)
    let last = thread.firstFrame + Int64(recording.samples.count)
    #expect(recording.samples.count % 256 == 0 && FrameGrid.standard.instant(of: last) >= end)
    // 60 ms are 2880 frames, rounded up to twelve periods.
    if counters.underruns == 0 { #expect(recording.samples.count == 12 * 256 && counters.late == 0) }
    #expect(recording.firstFrame == thread.firstFrame)
    #expect(recording.samples.contains { $0 != 0 })
  }
}
