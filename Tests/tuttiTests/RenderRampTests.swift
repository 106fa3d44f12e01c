import MusicalTime
import Rhythm
import Testing

@testable import tutti

struct RenderRampTests {
  /// The activities of four bars of 4/4, which have 64 steps, without repetitions, and the steps at which they begin.
  private func changes(_ text: String) throws -> [(step: Int64, activity: UInt8)] {
    let patch = try PatchLoader.patch(
      from: "name: a\ndescription: a\ntempo: 120\n\(text)play:\n  always:\n    kick: x... .... .... ....\n",
      file: "a.yaml")
    let ramp = RenderRamp(patch, end: Step(64))
    var changes: [(Int64, UInt8)] = []
    for step in Int64(0)..<64 where changes.last?.1 != ramp.activity(at: Step(step)) {
      changes.append((step, ramp.activity(at: Step(step))))
    }
    return changes
  }

  @Test func activityRisesOnQuarterNotes() throws {
    let changes = try changes("")
    #expect(changes.map(\.step) == (0..<16).map { $0 * 4 })
    #expect(changes.first?.activity == 0 && changes.last?.activity == 127)
  }

  @Test func activityRisesAtTheBarsIfTheLayersChangeThere() throws {
    let changes = try changes("change: bar\n")
    #expect(changes.map(\.step) == [0, 16, 32, 48] && changes.map(\.activity) == [0, 42, 84, 127])
  }
}
