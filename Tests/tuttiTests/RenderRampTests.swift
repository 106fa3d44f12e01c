import MusicalTime
import Rhythm
import Testing

@testable import tutti

/// Tests of ``RenderRamp``, the activity with `tutti patch render --ramp`. It rises evenly from 0 in the first interval to 127 in the last
/// interval. With four intervals, the activities are 0, 127 / 3, 2 * 127 / 3 and 127, rounded down.
struct RenderRampTests {
  /// Each activity of a rhythm of `steps` steps, with the step at which this activity begins.
  private func changes(
    steps: Int64, meter: String = "4/4", line: String = "x... .... .... ....", change: String
  ) throws -> [(step: Int64, activity: UInt8)] {
    let text = """
      name: a
      description: a
      tempo: 120
      meter: \(meter)
      change: \(change)
      play:
        always:
          kick: \(line)
      """
    let patch = try PatchLoader.patch(from: text, file: "a.yaml")
    let ramp = RenderRamp(patch, end: Step(steps))
    var changes: [(Int64, UInt8)] = []
    for step in 0..<steps where changes.last?.1 != ramp.activity(at: Step(step)) {
      changes.append((step, ramp.activity(at: Step(step))))
    }
    return changes
  }

  @Test func activityRisesOnQuarterNotes() throws {
    let changes = try changes(steps: 64, change: "beat")
    #expect(changes.map(\.step) == (0..<16).map { $0 * 4 })
    #expect(changes.first?.activity == 0 && changes.last?.activity == 127)
  }

  /// A bar of 7/8 has 14 steps.
  @Test func lastQuarterNoteCanBeIncomplete() throws {
    let changes = try changes(steps: 14, meter: "7/8", line: "x... .... .... ..", change: "beat")
    #expect(changes.map(\.step) == [0, 4, 8, 12] && changes.map(\.activity) == [0, 42, 84, 127])
  }

  @Test func activityRisesAtTheBarsIfTheLayersChangeThere() throws {
    let changes = try changes(steps: 64, change: "bar")
    #expect(changes.map(\.step) == [0, 16, 32, 48] && changes.map(\.activity) == [0, 42, 84, 127])
  }

  @Test func onlyBarHasTheMaximum() throws {
    #expect(try changes(steps: 16, change: "bar").map(\.activity) == [127])
  }
}
