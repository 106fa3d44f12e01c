import Foundation
import Rhythm
import Testing
import _TestSupport

@testable import tutti

/// Tests of the status lines of `tutti demo` (``DemoDisplay``), and of the activity that rises during the demo (``ActivityRamp``).
@Suite struct DemoDisplayTests {
  private static let text = """
    name: small
    description: Small.
    tempo: 120
    play:
      always: { kick: X... .... X... .... }
      to 63: { stick: .... X... .... X... }
      from 64: { snare: .... X... .... X... | .... X... .... X..o }
    fill: { every: 2 bars, from: 32, snare: .... .... .... xxxX }
    """

  /// The display of a demo of four bars with 96 ticks each.
  private func display() throws -> DemoDisplay {
    DemoDisplay(try PatchLoader.patch(from: Self.text, file: "small.yaml"), ticks: 4 * 96)
  }

  /// Tick 95 is the last tick of bar 1. The activity is 20, so the layers `always` and `to 63` sound.
  @Test func layersThatSoundShowTheirStrokes() throws {
    let lines = try display().lines(at: DemoPosition(tick: 95, activity: 20), size: (80, 24))
    #expect(
      lines == [
        "[#####...............]  25 %  bar 1 of 4  activity 20  2 of 3 layers",
        "* always   kick   X... .... X... ....", "* to 63    stick  .... X... .... X...", "  from 64  snare",
        "  fill     snare",
      ])
  }

  /// In bar 2, which begins at tick 96, the lines that are two bars long show their second bar, and the fill sounds.
  @Test func gridShowsThePresentBar() throws {
    let lines = try display().lines(at: DemoPosition(tick: 96, activity: 127), size: (80, 24))
    #expect(
      Array(lines.dropFirst()) == [
        "* always   kick   X... .... X... ....", "  to 63    stick", "* from 64  snare  .... X... .... X..o",
        "* fill     snare  .... .... .... xxxX",
      ])
  }

  /// A line sounds in a bar if it has a stroke there, and if no later line with `!` silences it. The hat has its only stroke in bar 2. From
  /// activity 64 on, the line of rests silences the stick.
  @Test func starMarksLinesWithAStrokeInTheBar() throws {
    let text = """
      name: small
      tempo: 120
      play:
        always: { stick: X... X... X... X..., hat: .... .... .... .... | x... .... .... .... }
        from 64: { stick!: .... .... .... .... }
      """
    let display = DemoDisplay(try PatchLoader.patch(from: text, file: "small.yaml"), ticks: 4 * 96)
    func marks(_ tick: Int64, _ activity: UInt8) -> String {
      let lines = display.lines(at: DemoPosition(tick: tick, activity: activity), size: (80, 24))
      return String(lines.dropFirst().compactMap(\.first))
    }
    #expect(marks(0, 20) == "*  " && marks(96, 20) == "** ")
    #expect(marks(0, 64) == "   " && marks(96, 64) == " * ")
    // In a low terminal, lines do not come and go with their strokes.
    #expect(display.lines(at: DemoPosition(tick: 0, activity: 20), size: (80, 4)).count == 3)
  }

  /// The last row and the last column of a terminal stay empty. A terminal with 5 rows therefore cannot show the progress and all four lines
  /// of the patch, so only the two lines that sound are shown. A terminal with 2 rows shows the progress only.
  @Test func lowAndNarrowTerminalShowsWhatSounds() throws {
    let display = try display()
    let lines = display.lines(at: DemoPosition(tick: 0, activity: 20), size: (20, 5))
    #expect(lines.count == 3 && lines[1...].allSatisfy { $0.hasPrefix("*") && $0.count == 19 }, "\(lines)")
    #expect(display.lines(at: DemoPosition(tick: 0, activity: 20), size: (80, 2)).count == 1)
    #expect(display.lines(at: nil, size: (80, 24))[0] == "[....................]   0 %")
  }

  @Test func plainLineNamesTheLayers() throws {
    #expect(
      try display().plainLine(at: DemoPosition(tick: 200, activity: 64))
        == "bar 3, activity 64  2 of 3 layers: always, from 64")
  }

  /// The position is read from the last octets of a trace that is still being written. The first and the last line of this part
  /// can be incomplete.
  @Test func positionIsTheLastCompleteTick() {
    func position(_ end: String) -> DemoPosition? { DemoPosition(end: Data(end.utf8)) }
    let tick = #"{"tick":7,"due":1,"acted":2,"offset":null,"uncertainty":null,"activity":12}"#
    #expect(position("e\":3}\n\(tick)\n") == DemoPosition(tick: 7, activity: 12))
    #expect(position("\(tick)\n{\"tick\":8,\"due\":1") == DemoPosition(tick: 7, activity: 12))
    #expect(position("\(tick)\n{\"summary\":{\"role\":\"master\"}}\n") == DemoPosition(tick: 7, activity: 12))
    #expect(position(tick) == nil && position("") == nil && position("{\"tutti_trace\":1}\n") == nil)
  }

  /// A summary of 2000 octets follows the last tick.
  @Test func positionIsFoundBeforeALongSummary() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.trace")
    let tick = #"{"tick":7,"due":1,"acted":2,"offset":null,"uncertainty":null,"activity":12}"#
    let summary = #"{"summary":{"role":""# + String(repeating: "m", count: 2_000) + #""}}"#
    try "\(tick)\n\(summary)\n".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(DemoPosition(trace: path) == DemoPosition(tick: 7, activity: 12))
  }

  /// The activity never falls. In a rhythm of at least 768 ticks (eight bars), the activity takes each value from 0 to 127. In the last
  /// quarter of the rhythm, the activity is 127.
  @Test(arguments: [Int64(1), 2, 96, 768, 1_000_000]) func rampRisesFromZeroToTheMaximum(ticks: Int64) {
    let ramp = ActivityRamp(ticks: ticks)
    let values = (0..<ticks).map { ramp.value(at: $0) }
    #expect(values[0] == 0 && ramp.value(at: ticks) == 127)
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(ticks < 768 || Set(values).count == 128)
    #expect(values.count { $0 == 127 } >= ticks / 4)
  }
}
