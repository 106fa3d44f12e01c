import Rhythm
import Testing

/// The limits of a patch. The function `faults` loads a text as the file `small.yaml` (SmallPatch.swift). The messages begin with the
/// line and the column of the fault. After the head (3 lines) and a kit of `n` voices (1 + n lines), `play` is in line 5 + n, and its
/// first layer in line 6 + n.
@Suite struct PatchLimitTests {
  /// The fields of a patch before kit and play.
  private let head = "name: big\ndescription: Big.\ntempo: 120\n"

  /// A kit of `count` voices, v0, v1 and so on, each in its own cut-off group if `groups` is true.
  private func kit(_ count: Int, groups: Bool = false) -> String {
    "kit:\n" + (0..<count).map { "  v\($0): { note: \($0)\(groups ? ", group: g\($0)" : "") }\n" }.joined()
  }

  /// A layer in which each of `voices` plays `bars` bars.
  private func layer(_ name: String, voices: Range<Int>, bars: Int = 1) -> String {
    let text = Array(repeating: "xxxxxxxxxxxxxxxx", count: bars).joined(separator: "|")
    return "  \(name):\n" + voices.map { "    v\($0): \(text)\n" }.joined()
  }

  @Test func linesAreLimitedTo64() throws {
    let full = head + kit(32) + "play:\n" + layer("always", voices: 0..<32) + layer("from 1", voices: 0..<32)
    #expect(try PatchLoader.patch(from: full, file: "big.yaml").lines.count == 64)
    #expect(
      faults(full + layer("from 2", voices: 0..<1)) == [
        "small.yaml:38:3: play: has 65 lines, including those of the fill, more than the limit of 64; remove 1"
      ])
  }

  /// 32 lines of 8 bars of 16 steps have 4096 strokes. A further line of one bar has 16 more.
  @Test func strokesAreLimitedTo4096() throws {
    let full = head + kit(32) + "play:\n" + layer("always", voices: 0..<32, bars: 8)
    #expect(try PatchLoader.patch(from: full, file: "big.yaml").bars == 8)
    let message =
      "small.yaml:38:3: play: has 4112 strokes and rests, including the parts, more than the limit of 4096; "
      + "write shorter lines; a line repeats by itself"
    #expect(faults(full + layer("from 1", voices: 0..<1)) == [message])
  }

  /// A line of 10 000 steps is rejected by its number of bars or by its number of steps per bar.
  @Test func longLinesAreRejected() {
    let bars = Array(repeating: "xxxxxxxxxxxxxxxx", count: 625).joined(separator: "|")
    #expect(
      faults(head + "play: { always: { kick: \(bars) } }").first?.contains("has 625 bars; write at most 8") == true)
    let bar = String(repeating: "x", count: 10_000)
    #expect(
      faults(head + "play: { always: { kick: \(bar) } }").first?.contains("has 10000 steps in bar 1; write 16") == true)
  }

  @Test func lengthOfThePatternIsLimitedTo16Bars() {
    let play = "play:\n" + layer("always", voices: 0..<1, bars: 3) + layer("from 1", voices: 1..<2, bars: 7)
    #expect(
      faults(head + kit(2) + play) == [
        "small.yaml:8:3: play: needs 21 bars until all lines, parts and chords repeat together, more than the limit of 16; their lengths "
          + "are 3 and 7 bars; use lengths such as 1, 2, 4 or 8 bars"
      ])
  }

  @Test func voicesAreLimitedTo32() throws {
    let play = "play:\n" + layer("always", voices: 0..<1)
    #expect(faults(head + kit(33) + play) == ["small.yaml:5:3: kit: has 33 drums; write at most 32"])
    let names = kit(32) + "play:\n" + layer("always", voices: 0..<32) + "    open triangle: x... x... x... x...\n"
    #expect(
      faults(head + names) == [
        "small.yaml:71:5: play.always.open triangle: is drum number 33 of this patch; use at most 32 drums"
      ])
  }

  @Test func groupsAreLimitedTo8() throws {
    let play = "play:\n" + layer("always", voices: 0..<8)
    let patch = try PatchLoader.patch(from: head + kit(8, groups: true) + play, file: "big.yaml")
    #expect(patch.groups == (0..<8).map { "g\($0)" })
    #expect(StepTable(patch).hits(at: .init(0), activity: 0).map(\.group) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(
      faults(head + kit(9, groups: true) + "play:\n" + layer("always", voices: 0..<9))
        == [
          "small.yaml:15:3: kit: has 9 cut-off groups (g0, g1, g2, g3, g4, g5, g6, g7, g8); "
            + "use at most 8, including the predefined ones"
        ])
  }

  @Test func layersAreLimitedTo32() throws {
    // The layers from 0 to 15 have a line of v0, and those from 16 to 31 a line of v1.
    let layers = (0..<32).map { layer("from \($0)", voices: $0 / 16..<$0 / 16 + 1) }.joined()
    #expect(try PatchLoader.patch(from: head + kit(2) + "play:\n" + layers, file: "big.yaml").layers.count == 32)
    #expect(
      faults(head + kit(2) + "play:\n" + layers + layer("from 99", voices: 0..<1))
        == ["small.yaml:8:3: play: has 33 layers; write 1 to 32"])
  }

  /// The longest bar has 16 half notes, which are 128 steps.
  @Test func longestBarIsPlayed() throws {
    let strokes = String(repeating: "x", count: 128)
    let table = try makeTable("meter: 16/2\nplay: { always: { kick: \(strokes) } }")
    #expect(table.stepsPerBar == 128 && table.stepCount == 128)
    #expect((0..<128).allSatisfy { table.count(at: .init($0), activity: 0) == 1 })
  }

  @Test func reportedFaultsAreLimited() throws {
    let unknown = (0..<500).map { "field\($0): 1\n" }.joined()
    let error = try #require(throws: PatchError.self) {
      try PatchLoader.patch(
        from: head + unknown + kit(1) + "play:\n" + layer("always", voices: 0..<1), file: "big.yaml")
    }
    // Of the 500 faults, 50 are reported.
    #expect(error.faults.count == PatchError.maximumFaults && error.omitted == 450)
    #expect(error.description.hasSuffix("\nand 450 more errors; correct the errors above first"))
  }
}
