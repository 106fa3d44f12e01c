import MusicalTime
import Rhythm
import Testing

/// Swing, pushed (early) and dragged (late) voices, flams, chances and fills.
@Suite struct FeelTests {
  /// The instant at which each step of a quarter note sounds, in ticks. ``Hit/position`` is the distance from the step in thousandths of a
  /// tick.
  private func ticks(_ swing: String) throws -> [Double] {
    let table = try makeTable("meter: 1/4\nswing: \(swing)\nplay: { always: { hat: xxxx } }")
    return (0..<4).map { step in
      Double(6 * step) + Double(table.hits(at: Step(Int64(step)), activity: 0)[0].position) / 1000
    }
  }

  @Test func swingMovesTheSecondNoteOfAPair() throws {
    #expect(try ticks("50%") == [0, 6, 12, 18])
    // Two thirds of 12 ticks are 8; 66.7 % are 8.004.
    #expect(try ticks("66.7%") == [0, 8.004, 12, 20.004])
    #expect(try ticks("75%") == [0, 9, 12, 21])
    // The second eighth note moves to 75 % of 24 ticks. The other sixteenth notes are in the middle of the two unequal eighth notes.
    #expect(try ticks("75% eighths") == [0, 9, 18, 21])
  }

  @Test func tripletsDoNotSwing() throws {
    let table = try makeTable("meter: 1/4\nswing: 75%\nplay: { always: { hat: xxx } }")
    #expect((Int64(0)..<4).map { table.hits(at: Step($0), activity: 0).map(\.position) } == [[0], [2000], [4000], []])
  }

  @Test func voicesArePushedAndDragged() throws {
    let table = try makeTable(
      "meter: 1/4\nfeel: { snare: +8 ms, hat: -3.5 ms }\nplay: { always: { hat: x..., snare: x..., kick: x... } }")
    // In the order of the lines: hat, snare, kick.
    #expect(table.hits(at: Step(0), activity: 0).map(\.delay) == [.microseconds(-3_500), .milliseconds(8), .zero])
    #expect(table.maximumPush == .microseconds(3_500))
  }

  /// The grace note of a flam sounds 25 ms earlier, at three fifths of the velocity, rounded down: 52 and 88 for f, 72 and 120 for F.
  @Test func flamHasAGraceNote() throws {
    let table = try makeTable(
      "meter: 1/4\nswell: 0%\nfeel: { snare: +8 ms }\nplay: { always: { snare: f.F. } }")
    let flam = table.hits(at: Step(0), activity: 0)
    #expect(flam.map(\.velocity) == [52, 88] && flam.map(\.delay) == [.milliseconds(-17), .milliseconds(8)])
    #expect(table.hits(at: Step(2), activity: 0).map(\.velocity) == [72, 120])
    #expect(table.maximumPush == .milliseconds(17))
  }

  /// The chance of a stroke rises from 20 % at activity 64 to 80 % at 127.
  @Test func chanceFollowsTheActivity() throws {
    let table = try makeTable("play: { from 64: { hat 20-80%: xxxx xxxx xxxx xxxx } }")
    func count(_ activity: UInt8) -> Int {
      (Int64(0)..<16_000).reduce(0) { $0 + table.count(at: Step($1), activity: activity) }
    }
    // Of 16 000 strokes, 3200 are 20 % and 12 800 are 80 %. The tolerance is about four standard deviations.
    #expect(abs(count(64) - 3_200) < 200 && abs(count(127) - 12_800) < 200)
    // A stroke that sounds at a lower chance sounds at a higher one too.
    for step in Int64(0)..<1_000 where table.count(at: Step(step), activity: 64) == 1 {
      #expect(table.count(at: Step(step), activity: 127) == 1)
    }
  }

  @Test func seedChangesTheChances() throws {
    let play = "play: { always: { hat 50%: xxxx xxxx xxxx xxxx } }"
    let tables = try [makeTable(play), makeTable("seed: 1\n" + play)]
    let counts = tables.map { table in (Int64(0)..<64).map { table.count(at: Step($0), activity: 0) } }
    #expect(counts[0] != counts[1])
  }

  /// The fill sounds in bars 3, 7 and so on, counted from 0, from activity 50 on. The kick of the fill replaces the kick of the rhythm.
  @Test func fillSoundsInTheLastBarOfItsPeriod() throws {
    let table = try makeTable(
      "meter: 1/4\nplay: { always: { kick: x... } }\nfill: { every: 4 bars, from: 50, kick!: .x.., snare: ..x. }")
    func notes(_ bar: Int64, _ activity: UInt8) -> [[UInt8]] {
      (0..<4).map { table.hits(at: Step(4 * bar + $0), activity: activity).map(\.note) }
    }
    for bar in [Int64(-2), 0, 1, 2, 4] { #expect(notes(bar, 50) == [[36], [], [], []], "bar \(bar)") }
    for bar in [Int64(-1), 3, 7] { #expect(notes(bar, 50) == [[], [36], [38], []], "bar \(bar)") }
    #expect(notes(3, 49) == [[36], [], [], []])
  }

  @Test func fillHasAChance() throws {
    let table = try makeTable(
      "meter: 1/4\nplay: { always: { kick: x... } }\nfill: { every: 2 bars, chance: 25%, snare: xxxx }")
    // Either all strokes of a fill sound, or none.
    let counts = (Int64(0)..<4_000).map { bar in
      (0..<4).reduce(0) { $0 + table.hits(at: Step(4 * bar + $1), activity: 0).count { $0.note == 38 } }
    }
    // The 4000 bars have 2000 fills, of which 25 % sound. The tolerance is about three standard deviations.
    #expect(Set(counts) == [0, 4] && abs(counts.count { $0 == 4 } - 500) < 60)
  }

  /// A bar of 7/8 has 14 steps, and each bar has the same pattern.
  @Test func patternInSevenEighthsRestartsEachBar() throws {
    let table = try makeTable("meter: 7/8\nswing: 60% eighths\nplay: { always: { kick: x... x... x.x. x. } }")
    #expect(table.stepsPerBar == 14 && table.stepCount == 14)
    for bar in Int64(-1)..<3 {
      let counts = (Int64(0)..<14).map { table.count(at: Step(14 * bar + $0), activity: 0) }
      #expect(counts == [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0], "bar \(bar)")
    }
  }
}
