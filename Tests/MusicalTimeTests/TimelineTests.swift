import MusicalTime
import Testing
import _TestSupport

/// Tests of the invariants of a timeline, on random timelines from 20 to 999 BPM with origins years away from zero.
@Suite struct TimelineTests {
  /// A random timeline, and the random generator for further values of the test. A quarter note lasts 60.06 ms at 999 BPM and 3 s at
  /// 20 BPM.
  private func makeTimeline(seed: UInt64) -> (Timeline, SplitMix) {
    var random = SplitMix(seed: seed)
    let tempo = Tempo(nanosecondsPerQuarter: random.integer(in: 60_060_060...3_000_000_000))!
    let tick = Tick(random.integer(in: -1_000_000_000...1_000_000_000))
    let instant = Instant(nanoseconds: random.integer(in: -1_000_000_000_000_000_000...1_000_000_000_000_000_000))
    return (Timeline(tempo: tempo, tick: tick, at: instant), random)
  }

  @Test(arguments: UInt64(1)...200) func tickAndDeadlineAreInverse(seed: UInt64) {
    var (timeline, random) = makeTimeline(seed: seed)
    for _ in 0..<200 {
      let tick = timeline.originTick + random.integer(in: -2_000_000_000...2_000_000_000)
      let due = timeline.deadline(tick)
      #expect(timeline.tick(at: due) == tick, "seed \(seed)")
      #expect(timeline.tick(at: due - Nanoseconds(1)) == tick + -1, "seed \(seed)")
      #expect(timeline.firstTick(notBefore: due) == tick, "seed \(seed)")
      let instant = due + Nanoseconds(random.integer(in: -5_000_000_000...5_000_000_000))
      let at = timeline.tick(at: instant)
      #expect(timeline.deadline(at) <= instant && instant < timeline.deadline(at + 1), "seed \(seed)")
    }
  }

  @Test func deadlineOfTheBillionthTickIsExact() {
    // 137.3 BPM is 436999272 ns per quarter note, rounded up. The expected deadline, computed separately, is
    // 436999272 ns * 10^9 / 24 after tick 0.
    let timeline = Timeline(tempo: try! Tempo(bpm: 137.3), tick: Tick(0), at: Instant(nanoseconds: 7))
    #expect(timeline.deadline(Tick(1_000_000_000)) == Instant(nanoseconds: 7 + 18_208_303_000_000_000))
    #expect(timeline.deadline(Tick(-1)) == Instant(nanoseconds: 7 - 18_208_303))
    #expect(timeline.deadline(Tick(1)) == Instant(nanoseconds: 7 + 18_208_303))
  }

  @Test(arguments: UInt64(1)...100) func deadlinesIncreaseAcrossTempoChanges(seed: UInt64) {
    var (timeline, random) = makeTimeline(seed: seed)
    var last = timeline.deadline(timeline.originTick + -1)
    var tick = timeline.originTick
    for _ in 0..<50 {
      let change = tick + random.integer(in: 0...40)
      let tempo = Tempo(nanosecondsPerQuarter: random.integer(in: 60_060_060...3_000_000_000))!
      let next = timeline.changing(to: tempo, at: change)
      #expect(next.deadline(change) == timeline.deadline(change), "seed \(seed)")
      while tick < change + 10 {
        let due = (tick < change ? timeline : next).deadline(tick)
        #expect(due > last, "seed \(seed)")
        last = due
        tick = tick + 1
      }
      timeline = next
    }
  }

  /// A minute at b BPM has 24 * b ticks. The number is rounded up, because tick 0 is due at the start of the minute. At 120 and 61 BPM,
  /// 24 * b is a whole number. The next tick is due at the end of the minute (120 BPM) or 38 ns later (61 BPM) and is not counted.
  @Test func tickCountOfASpanExcludesItsEnd() throws {
    let start = Instant(nanoseconds: 1_000)
    for (bpm, seconds, count) in [(120.0, 60, 2880), (137.3, 60, 3296), (61, 60, 1464), (299.7, 60, 7193)] {
      let timeline = Timeline(tempo: try Tempo(bpm: bpm), tick: Tick(0), at: start)
      #expect(timeline.ticks(in: start..<start + .seconds(Int64(seconds))) == Int64(count), "\(bpm) BPM")
    }
  }

  @Test func deadlinesSaturateAtTheEndsOfInt64() {
    let timeline = Timeline(tempo: .standard, tick: Tick(.min), at: Instant(nanoseconds: .max))
    #expect(timeline.deadline(Tick(.max)) == .distantFuture)
    #expect(timeline.deadline(Tick(0)) == .distantFuture)
    let other = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: .min))
    #expect(other.deadline(Tick(.min)) == Instant(nanoseconds: .min))
    // These computations do not trap.
    _ = timeline.tick(at: Instant(nanoseconds: .min))
    _ = other.tick(at: Instant(nanoseconds: .max))
  }
}

@Suite struct TempoTests {
  @Test func beatsPerMinuteConvertToNanosecondsPerQuarter() throws {
    #expect(try Tempo(bpm: 120).nanosecondsPerQuarter == 500_000_000)
    #expect(try Tempo(bpm: 120) == .standard)
    #expect(try abs(Tempo(bpm: 137.3).bpm - 137.3) < 1e-6)
  }

  @Test(arguments: [19.99, 999.01, 0, -120, .infinity, .nan]) func tempoOutOfRangeIsRejected(bpm: Double) {
    #expect(throws: TempoError.self) { try Tempo(bpm: bpm) }
  }

  /// The permitted lengths are those of 20 to 999 BPM and 0.1 % more at both ends: 60 000 000...3 003 000 000 ns. The extension allows
  /// for the skew of the clock of a follower, which expresses the tempo of the master in local time.
  @Test func quarterLengthsOutOfRangeAreRejected() {
    for length in [Int64.min, -1, 0, 1, 59_999_999, 3_003_000_001, .max] {
      #expect(Tempo(nanosecondsPerQuarter: length) == nil)
    }
  }
}

@Suite struct PositionTests {
  @Test func stepsAndTicksConvertAtSixTicksPerStep() {
    #expect(Tick(0).beginsStep == Step(0) && Tick(6).beginsStep == Step(1) && Tick(5).beginsStep == nil)
    // Each pair has a tick, and the earliest first tick of a step at or after this tick.
    let next: [(Int64, Int64)] = [(-7, -6), (-6, -6), (-5, 0), (0, 0), (1, 6), (5, 6), (6, 6)]
    #expect(next.allSatisfy { Tick($0.0).roundedUpToStep == Tick($0.1) })
    #expect(Tick(-6).beginsStep == Step(-1) && Tick(-1).step == Step(-1) && Tick(11).step == Step(1))
    #expect(Tick(of: Step(7)) == Tick(42))
  }

  @Test func barsAndBeatsCountFromOne() {
    let common = Meter.common
    #expect(common.position(of: Tick(0)) == (1, 1))
    #expect(common.position(of: Tick(23)) == (1, 1))
    #expect(common.position(of: Tick(24)) == (1, 2))
    #expect(common.position(of: Tick(96)) == (2, 1))
    #expect(common.position(of: Tick(-1)) == (0, 4))
    let compound = Meter(beats: 6, unit: 8)!
    #expect(compound.position(of: Tick(12)) == (1, 2) && compound.position(of: Tick(72)) == (2, 1))
    #expect(Meter(beats: 4, unit: 3) == nil && Meter(beats: 0, unit: 4) == nil)
  }
}
