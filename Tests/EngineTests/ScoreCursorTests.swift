import PeerProtocol
import Testing
import _TestSupport

@testable import Engine

extension ScoreNote {
  /// A note at a position in thousandths of a tick.
  init(at position: Int64, length: UInt32 = 500, part: UInt8 = 0, key: UInt8 = 60, program: UInt8 = 0) {
    self.init(
      tick: Int32(position / 1000), length: length, thousandths: UInt16(position % 1000), part: part, key: key,
      velocity: 80, program: program)
  }
}

/// Tests of the place in the notes of a score. Ticks count from the origin of the line, and positions are thousandths of a tick.
@Suite struct ScoreCursorTests {
  private static let line = ScoreLine(DocumentDigest(high: 1, low: 2))

  private func table(_ positions: [Int64], number: UInt32 = 1, loop: Int64 = 0) -> ScoreTable {
    ScoreTable(number: number, line: Self.line, notes: positions.map { ScoreNote(at: $0) }, loopLength: loop)
  }

  /// The positions of the notes of some ticks.
  private func take(_ cursor: inout ScoreCursor, _ ticks: Range<Int64>, _ table: ScoreTable) -> [Int64] {
    cursor.begin(ticks.lowerBound, ticks.upperBound, in: table)
    var positions: [Int64] = []
    while let (note, position) = cursor.next(in: table) {
      #expect((position - note.position) % max(table.loopLength, 1) == 0)
      positions.append(position)
    }
    return positions
  }

  /// The positions of all notes of `table` in a range, by the definition.
  private func expected(_ positions: [Int64], loop: Int64, in range: Range<Int64>) -> [Int64] {
    guard loop > 0 else { return positions.filter { range.contains($0) } }
    var list: [Int64] = []
    for lap in 0...range.upperBound / loop {
      list += positions.filter { $0 < loop }.map { $0 + lap * loop }.filter { range.contains($0) }
    }
    return list
  }

  @Test func stepsReturnTheirNotesOnce() {
    let table = table([0, 0, 5_999, 6_000, 6_500, 18_000])
    defer { table.notes.free() }
    var cursor = ScoreCursor()
    #expect(take(&cursor, -6..<0, table) == [])
    #expect(take(&cursor, 0..<6, table) == [0, 0, 5_999])
    #expect(take(&cursor, 6..<12, table) == [6_000, 6_500])
    #expect(take(&cursor, 12..<18, table) == [])
    #expect(take(&cursor, 18..<24, table) == [18_000])
    #expect(take(&cursor, 24..<30, table) == [])
    // A step that is passed again after a recall.
    #expect(take(&cursor, 6..<12, table) == [6_000, 6_500])
  }

  /// A step can contain the origin, the end of a loop, or several repeats of a short loop.
  @Test func loopsAndOriginsNeedNotBeginWithAStep() {
    let notes: [Int64] = [0, 1_500, 6_999]
    let table = table(notes, loop: 7_000)
    let short = self.table([0, 500, 2_000], number: 2, loop: 1_000)
    defer {
      table.notes.free()
      short.notes.free()
    }
    var cursor = ScoreCursor()
    #expect(take(&cursor, -2..<4, table) == [0, 1_500])
    #expect(take(&cursor, 4..<10, table) == [6_999, 7_000, 8_500])
    #expect(take(&cursor, 10..<16, table) == [13_999, 14_000, 15_500])
    // A note after the end of the loop does not sound.
    #expect(take(&cursor, 3..<5, short) == [3_000, 3_500, 4_000, 4_500])
  }

  /// Random tables, loops and steps, some of which follow each other: the notes are those of the definition.
  @Test(arguments: UInt64(1)...200) func notesAreThoseOfTheDefinition(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let positions = (0..<random.integer(in: 0...60)).map { _ in random.integer(in: 0...99_999) }.sorted()
    let loop = random.integer(in: 0...2) == 0 ? 0 : random.integer(in: 1_000...120_000)
    let table = table(positions, loop: loop)
    defer { table.notes.free() }
    var cursor = ScoreCursor()
    var tick: Int64 = 0
    for _ in 0..<100 {
      if random.integer(in: 0...9) == 0 { tick = random.integer(in: -10...400) }
      let end = tick + random.integer(in: 1...12)
      let range = max(tick, 0) * 1000..<max(end, 0) * 1000
      #expect(take(&cursor, tick..<end, table) == expected(positions, loop: loop, in: range), "seed \(seed)")
      tick = end
    }
  }

  /// Notes of another table are never returned, because its memory may be freed.
  @Test func cursorOfAnotherTableReturnsNothing() {
    let (first, second) = (table([0, 1_000]), table([0, 1_000, 2_000], number: 2))
    defer {
      first.notes.free()
      second.notes.free()
    }
    var cursor = ScoreCursor()
    cursor.begin(0, 6, in: first)
    #expect(cursor.next(in: first)?.position == 0)
    #expect(cursor.next(in: second) == nil)
    #expect(take(&cursor, 0..<6, second) == [0, 1_000, 2_000])
  }

  /// Notes that are left out do not sound later.
  @Test func skippedNotesAreCountedAndLeftOut() {
    let table = table([0, 1_000, 2_000, 6_000, 7_000])
    defer { table.notes.free() }
    var cursor = ScoreCursor()
    cursor.begin(0, 6, in: table)
    _ = cursor.next(in: table)
    #expect(cursor.skip(in: table) == 2)
    #expect(cursor.next(in: table) == nil)
    #expect(take(&cursor, 6..<12, table) == [6_000, 7_000])
  }

  /// A table plays its bars at any tick, with and without the rhythm.
  @Test func tableDescribesLinesWithItsBars() {
    let table = table([0])
    defer { table.notes.free() }
    var line = Self.line
    line.origin.index = 96
    line.playsRhythm = false
    #expect(table.describes(line))
    line.bar = 1
    #expect(!table.describes(line) && !ScoreTable(number: 2).describes(.none))
  }
}
