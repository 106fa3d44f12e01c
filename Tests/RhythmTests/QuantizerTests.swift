import MusicalTime
import Rhythm
import Testing
import _TestSupport

/// Properties of the quantizer, over seeded positions.
@Suite struct QuantizerTests {
  @Test func gridsAreWholeTicks() {
    #expect(NoteValue.grids.map(\.ticks) == [24, 16, 12, 8, 6, 4, 3, 2])
    #expect(NoteValue.lengths.map(\.ticks) == [96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2])
    #expect(NoteValue.grids.map(\.name).prefix(4) == ["1/4", "1/4 triplets", "1/8", "1/8 triplets"])
    #expect(Quantizer(grid: .sixteenth, tolerance: -1) == nil && Quantizer(grid: .sixteenth, tolerance: 101) == nil)
  }

  /// A sixteenth note has 6000 thousandths of a tick, and 40 % of them are 2400. `line` is the tick to which the note moves; nil if the
  /// note sounds at once.
  @Test(
    arguments: [
      (0, nil), (2400, nil), (2401, 6), (5999, 6), (6000, nil), (-1, 0), (-3599, 0), (-3600, nil), (-6000, nil),
    ] as [(Int64, Int64?)])
  func toleranceIsFortyPercent(position: Int64, line: Int64?) {
    let placement = Quantizer.standard.placement(of: MusicalPosition(milliticks: position))
    #expect(placement == (line.map { .onLine(Tick($0)) } ?? .atOnce))
  }

  @Test(arguments: NoteValue.grids) func noteIsAtOnceOrOnTheNextLine(grid: NoteValue) throws {
    let unit = grid.ticks * 1000
    for seed in UInt64(1)...20 {
      var random = SplitMix(seed: seed)
      let tolerance = Int(random.integer(in: 0...100))
      let quantizer = try #require(Quantizer(grid: grid, tolerance: tolerance))
      for _ in 0..<200 {
        let position = random.integer(in: -1_000_000_000_000...1_000_000_000_000)
        // The last line at or before the position, by floating-point division.
        let line = Int64((Double(position) / Double(unit)).rounded(.down)) * unit
        let isTolerated = (position - line) * 100 <= unit * Int64(tolerance)
        switch quantizer.placement(of: MusicalPosition(milliticks: position)) {
        case .atOnce: #expect(isTolerated, "seed \(seed), position \(position)")
        case .onLine(let tick):
          #expect(!isTolerated && tick.index * 1000 == line + unit, "seed \(seed), position \(position)")
          #expect(tick.index * 1000 > position && tick.index % grid.ticks == 0)
        }
      }
    }
  }

  /// On a timeline, the line of a quantized note is due at the action or later, and the line before it is due earlier than the action.
  @Test func lineIsNotDueBeforeTheAction() throws {
    for seed in UInt64(1)...50 {
      var random = SplitMix(seed: seed)
      let tempo = try #require(Tempo(nanosecondsPerQuarter: random.integer(in: Tempo.lengths)))
      let timeline = Timeline(
        tempo: tempo, tick: Tick(random.integer(in: -1000...1000)),
        at: Instant(nanoseconds: random.integer(in: 0...1_000_000_000_000)))
      for grid in NoteValue.grids {
        let quantizer = try #require(Quantizer(grid: grid, tolerance: 40))
        for _ in 0..<50 {
          let instant = timeline.originInstant + Nanoseconds(random.integer(in: -10_000_000_000...10_000_000_000))
          guard case .onLine(let tick) = quantizer.placement(of: instant, on: timeline) else { continue }
          #expect(timeline.deadline(tick) >= instant, "seed \(seed)")
          #expect(timeline.deadline(tick + -grid.ticks) < instant, "seed \(seed)")
        }
      }
    }
  }

  /// The position of an instant has the tick that the timeline gives for this instant. The position of the deadline of a tick is
  /// exactly this tick.
  @Test func positionsMatchTheTimeline() throws {
    for seed in UInt64(1)...100 {
      var random = SplitMix(seed: seed)
      let tempo = try #require(Tempo(nanosecondsPerQuarter: random.integer(in: Tempo.lengths)))
      let timeline = Timeline(
        tempo: tempo, tick: Tick(random.integer(in: -1_000_000...1_000_000)),
        at: Instant(nanoseconds: random.integer(in: -1_000_000_000_000...1_000_000_000_000)))
      for _ in 0..<50 {
        let tick = timeline.originTick + random.integer(in: -1_000_000...1_000_000)
        #expect(MusicalPosition(at: timeline.deadline(tick), on: timeline) == MusicalPosition(tick), "seed \(seed)")
        let instant = Instant(nanoseconds: random.integer(in: -2_000_000_000_000...2_000_000_000_000))
        let position = MusicalPosition(at: instant, on: timeline)
        #expect(position.tick == timeline.tick(at: instant) && (0...999).contains(position.offset), "seed \(seed)")
        let later = MusicalPosition(at: instant + Nanoseconds(random.integer(in: 0...1_000_000)), on: timeline)
        #expect(later >= position, "seed \(seed)")
      }
    }
  }

  @Test func extremePositionsDoNotTrap() {
    for tempo in [Tempo.lengths.lowerBound, Tempo.lengths.upperBound] {
      guard let tempo = Tempo(nanosecondsPerQuarter: tempo) else { continue }
      for origin in [Int64.min, 0, .max] {
        for instant in [Int64.min, -1, 0, .max] {
          let timeline = Timeline(tempo: tempo, tick: Tick(origin), at: Instant(nanoseconds: origin))
          for grid in NoteValue.grids {
            _ = Quantizer(grid: grid, tolerance: 0)?.placement(of: Instant(nanoseconds: instant), on: timeline)
          }
        }
      }
    }
    for position in [Int64.min, .min + 1, .max] {
      _ = Quantizer.standard.placement(of: MusicalPosition(milliticks: position))
    }
  }
}
