import Audio
import CAllocationCount
import MIDI
import MusicalTime
import Realtime
import Testing
import _TestSupport

/// Tests of the work of the audio thread under a virtual clock, from the event ring to the recording on the disk. A
/// period has 256 frames. The device requests the period that begins at frame P + 256 at the instant of frame P.
@Suite struct AudioLoopTests {
  private let grid = FrameGrid.standard

  /// A hit at `frame`. Note 37 is the side stick, a short sound.
  private func event(at frame: Int64, note: UInt8 = 37) -> SoundEvent {
    SoundEvent(instant: grid.instant(of: frame), note: note, velocity: 110, group: 0)
  }

  /// Runs `loop` until its next step is due after `instant`. The clock jumps from step to step.
  ///
  /// - Returns: the instant of the last step.
  private func run(_ loop: AudioLoop, from start: Instant, to instant: Instant) -> Instant {
    var now = start
    while let due = loop.step(at: now), due <= instant { now = due }
    return now
  }

  @Test func recordingContainsEveryHitOnItsFrame() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    let events = SoundEvents()
    let device = NominalDevice(grid: grid, notBefore: .init(nanoseconds: 3_000_000_000))
    let first = device.next
    let loop = AudioLoop(device: device, module: try SoundModule(.timGM6mb), sink: .wav(output), events: events)
    // The spacing is no multiple of the period. Each hit ends before the next begins.
    let hits = (0..<20).map { first + 777 + 8_191 * $0 }
    for frame in hits { events.push(event(at: frame)) }
    loop.end(at: grid.instant(of: first + 180_001))
    _ = run(loop, from: grid.instant(of: first - 256), to: .distantFuture)
    try output.finish()

    let recording = try SoundFile(path: path)
    // Periods that begin before the end are recorded: 180 001 frames, rounded up to 704 periods.
    #expect(recording.firstFrame == first && recording.samples.count == 704 * 256)
    /// The 8100 frames from `frame` on, which contain one hit.
    let hitSound = { (frame: Int64) in Array(recording.samples[Int(frame - first)..<Int(frame - first) + 8_100]) }
    for frame in hits { #expect(hitSound(frame) == hitSound(hits[0])) }
    #expect(hitSound(hits[0]).contains { abs($0) > 0.05 })
    #expect(recording.samples[0..<777].allSatisfy { $0 == 0 })
    let counters = loop.counters
    #expect(counters.hits == 20 && counters.late == 0 && counters.underruns == 0 && counters.lostFrames == 0)
  }

  /// Notes on two channels with different instruments. Each note sounds from the first period requested after its submission.
  @Test func recordingContainsNotesFromTheNextRequestedPeriod() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    let events = SoundEvents()
    let device = NominalDevice(grid: grid, notBefore: .init(nanoseconds: 3_000_000_000))
    let first = device.next
    let loop = AudioLoop(device: device, module: try SoundModule(.timGM6mb), sink: .wav(output), events: events)
    func message(_ message: Message, at frame: Int64) -> SoundEvent { .message(message, at: grid.instant(of: frame)) }
    let (two, sixteen) = (Channel(2)!, Channel(16)!)
    events.push(message(.noteOn(two, key: 60, velocity: 100), at: first + 1_000))
    events.push(message(.noteOff(two, key: 60, velocity: 64), at: first + 9_000))
    events.push(message(.noteOn(sixteen, key: 60, velocity: 100), at: first + 100_100))
    // All Notes Off.
    events.push(message(.controlChange(sixteen, controller: 123, value: 0), at: first + 148_100))
    loop.end(at: grid.instant(of: first + 256_000))
    _ = run(loop, from: grid.instant(of: first - 256), to: .distantFuture)
    try output.finish()

    let samples = try SoundFile(path: path).samples
    // Frames are counted from `first` here. The first period boundaries after the submissions of the two notes are 1 024 (after 1 000) and
    // 100 352 (after 100 100). The period requested at a boundary begins 256 frames later.
    #expect(samples[0..<1_280].allSatisfy { $0 == 0 })
    #expect(samples[1_280..<1_344].contains { $0 != 0 })
    // The first note is released at about frame 9 000, and has decayed at frame 96 000.
    #expect(samples[96_000..<100_608].allSatisfy { $0 == 0 })
    #expect(samples[100_608..<100_672].contains { $0 != 0 })
    // The two notes have the same key but sound different, because each channel has its own instrument. The first 7720 frames of
    // each note are compared.
    #expect(samples[1_280..<9_000].elementsEqual(samples[100_608..<108_328]) == false)
    // The second note sounds until All Notes Off, which is submitted at frame 148 100, and then decays.
    #expect(samples[140_000..<148_000].contains { abs($0) > 0.01 })
    #expect(samples[240_000...].allSatisfy { $0 == 0 })
    #expect(loop.counters.messages == 4 && loop.counters.droppedNotes == 0 && loop.counters.hits == 0)
  }

  /// A recording waits for its renderer. Therefore a hit counts as late only if it was submitted too late. A hit that was submitted in time
  /// sounds on its frame, even if the loop renders it late.
  @Test func stallDelaysOnlyHitsSubmittedDuringTheStall() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    let events = SoundEvents()
    let device = NominalDevice(grid: grid, notBefore: .init(nanoseconds: 0))
    let loop = AudioLoop(device: device, module: try SoundModule(.timGM6mb), sink: .wav(output), events: events)
    for frame in [0, 9_500, 40_000] as [Int64] { events.push(event(at: frame)) }
    var now = run(loop, from: grid.instant(of: -256), to: grid.instant(of: 9_000))
    // The loop stalls from frame 9 000 to frame 20 000. The three hits above count as submitted in time, because the default of
    // `submitted` is the distant past. The two hits below are submitted at the end of the stall.
    for frame in [10_000, 11_000] as [Int64] {
      var late = event(at: frame)
      late.submitted = grid.instant(of: 20_000)
      events.push(late)
    }
    now = run(loop, from: grid.instant(of: 20_000), to: grid.instant(of: 50_000))
    loop.end(at: now)
    #expect(loop.step(at: now) == nil)
    try output.finish()

    // The first period boundary after 20 000 is 20 224. The period requested there begins at 20 480, so the hit that
    // was due at 10 000 is 10 480 frames late.
    let samples = try SoundFile(path: path).samples
    let counters = loop.counters
    #expect(counters.underruns == 1 && counters.silentFrames == 0)
    #expect(counters.hits == 5 && counters.late == 2 && counters.dropped == 0)
    #expect(counters.maximumLateness == grid.instant(of: 20_480) - grid.instant(of: 10_000))
    // The hit at 0 was before the stall, and the hit at 9500 was due during the stall. Both begin with the same samples.
    #expect(Array(samples[9_500..<9_700]) == Array(samples[0..<200]))
    #expect(samples[20_480..<20_544].contains { $0 != 0 })
    // After the stall, hits are on their frames again.
    #expect(Array(samples[40_000..<44_000]) == Array(samples[0..<4_000]))
  }

  @Test func lateStartLosesNoFrames() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let output = try WAVOutput(path: path, name: "a")
    let device = NominalDevice(grid: grid, notBefore: .init(nanoseconds: 1_000_000_000))
    let first = device.next
    let events = SoundEvents(capacity: 4)
    events.push(event(at: first + 100))
    let loop = AudioLoop(device: device, module: try SoundModule(.timGM6mb), sink: .wav(output), events: events)
    // The first step comes 1000 frames after the instant of the first frame, which counts as an underrun. The recording still begins
    // at the first frame. The hit is not late, because it was submitted in time.
    _ = run(loop, from: grid.instant(of: first + 1_000), to: grid.instant(of: first + 3_000))
    try output.finish()
    let recording = try SoundFile(path: path)
    #expect(recording.firstFrame == first && loop.counters.late == 0 && loop.counters.underruns == 1)
    #expect(recording.samples[0..<100].allSatisfy { $0 == 0 })
    #expect(recording.samples[100..<164].contains { $0 != 0 })
  }

  @Test func hitsAreCountedWithoutSink() {
    let events = SoundEvents(capacity: 4)
    let device = NominalDevice(grid: grid, notBefore: .init(nanoseconds: 0))
    let loop = AudioLoop(device: device, module: nil, sink: .none, events: events)
    for frame in [0, 300, 600, 700, 800, 900] as [Int64] { events.push(event(at: frame)) }
    loop.end(at: grid.instant(of: 2_000))
    _ = run(loop, from: grid.instant(of: -256), to: .distantFuture)
    // The ring holds four of the six events.
    #expect(loop.counters.hits == 4 && loop.counters.dropped == 2 && loop.counters.underruns == 0)
  }

  @Test func tenThousandPeriodsAllocateNoMemory() throws {
    let folder = try TemporaryFolder()
    let output = try WAVOutput(path: folder.path("a.wav"), name: "a")
    let events = SoundEvents()
    let device = NominalDevice(grid: grid, notBefore: .init(nanoseconds: 0))
    let loop = AudioLoop(device: device, module: try SoundModule(.timGM6mb), sink: .wav(output), events: events)
    // The events are created in advance, because their creation allocates. They include short and long notes, single notes
    // and chords, late and early hits. Every 500 periods, the thread stalls for up to 1.5 s.
    var random = SplitMix(seed: 7)
    let messages = (0..<Int64(10_000)).map { period in
      let octet = { UInt7(masking: UInt8(random.integer(in: 0...127))) }
      let message = Message(status: UInt8(random.integer(in: 0x80...0xEF)), octet(), octet())!
      return SoundEvent.message(message, at: grid.instant(of: period * 256))
    }
    let hits = (0..<Int64(10_000)).map { period in
      SoundEvent(
        instant: grid.instant(of: period * 256 + random.integer(in: -300...2_000)),
        note: UInt8(random.integer(in: 35...60)), velocity: UInt8(random.integer(in: 1...127)),
        group: UInt8(random.integer(in: 0...2)))
    }
    var now = grid.instant(of: -256)
    allocation_count_begin()
    for period in 0..<10_000 {
      events.push(hits[period])
      events.push(messages[period])
      let end = grid.instant(of: Int64(period + 1) * 256)
      while let due = loop.step(at: now), due <= end { now = due }
      // A stall of 0.15 ms times the number of the period: 74 ms at period 499, up to 1.5 s at period 9999.
      if period % 500 == 499 { now = now + .milliseconds(Int64(period) * 3 / 20) }
    }
    let count = allocation_count_end()
    #expect(count == 0)
    let counters = loop.counters
    // Each stall causes one underrun, except the last of the 20, which no step follows.
    #expect(counters.hits > 9_000 && counters.underruns == 19 && counters.late > 0)
    #expect(counters.messages + counters.droppedNotes == 10_000 && counters.messages > 9_000)
    output.abandon()
  }
}
