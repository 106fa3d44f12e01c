import MusicalTime
import Rhythm
import Testing

/// A fill that a player wants: it sounds in its bar, whatever the activity, the chance and the number of the bar are.
@Suite struct WantedFillTests {
  private func hits(_ table: StepTable, _ step: Int64, activity: UInt8, playsFill: Bool) -> [Hit] {
    var hits: [Hit] = []
    var cursor = table.cursor(at: Step(step), activity: activity, playsFill: playsFill)
    while let hit = table.next(&cursor) { hits.append(hit) }
    return hits
  }

  /// The fill replaces the snare, has a chance of 1 %, and sounds by itself only from the activity 60 on, in the last of four bars.
  @Test(arguments: [UInt8(0), 59, 60, 127]) func fillSoundsInAnyBarAtAnyActivity(activity: UInt8) throws {
    let table = try makeTable(
      """
      swell: 20%
      play: { always: { snare: x... x... x... x... } }
      fill: { every: 4 bars, chance: 1%, from: 60, snare!: .... .... xxxx xxxx }
      """)
    for bar in -5...5 as ClosedRange<Int64> {
      let steps = (0..<16).map { hits(table, bar * 16 + $0, activity: activity, playsFill: true).count }
      #expect(steps == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1], "bar \(bar)")
      let usual = (0..<16).map { hits(table, bar * 16 + $0, activity: activity, playsFill: false).count }
      #expect(usual != steps, "bar \(bar)")
    }
  }

  /// Below its least activity, the fill is as soft as at this activity.
  @Test func loudnessBelowTheLeastActivityIsThatOfTheLeastActivity() throws {
    let table = try makeTable(
      "play: { always: { kick: x... .... .... .... } }\nfill: { every: 4 bars, from: 60, snare: .... x... .... .... }")
    func velocity(_ activity: UInt8) -> UInt8? {
      hits(table, 4, activity: activity, playsFill: true).first { $0.note == 38 }?.velocity
    }
    #expect(velocity(0) == velocity(60) && velocity(59) == velocity(60))
    #expect(try #require(velocity(127)) > #require(velocity(60)))
  }

  @Test func rhythmWithoutAFillDoesNotChange() throws {
    let table = try makeTable("play: { always: { kick: x... x... x... x... } }")
    for step in 0..<32 as Range<Int64> {
      #expect(hits(table, step, activity: 90, playsFill: true) == hits(table, step, activity: 90, playsFill: false))
    }
  }
}
