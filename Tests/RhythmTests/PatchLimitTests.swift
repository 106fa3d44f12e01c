import Rhythm
import Testing

/// The limits of a patch. The tests use four bars of 4/4, which have 64 steps, the maximum.
@Suite struct PatchLimitTests {
  private let head = "name: big\ndescription: Big.\nmeter: 4/4\nbars: 4\ntempo: 120\n"

  /// A kit of `count` voices, v0, v1 and so on, each in its own cut-off group if `groups` is true.
  private func kit(_ count: Int, groups: Bool = false) -> String {
    "kit:\n" + (0..<count).map { "  v\($0): { note: \($0)\(groups ? ", group: g\($0)" : "") }\n" }.joined()
  }

  /// A layer in which each of `voices` plays `stroke` on all 64 steps.
  private func layer(_ name: String, voices: Range<Int>, stroke: Character = "x", activity: String = "[0]") -> String {
    "  - name: \(name)\n    activity: \(activity)\n    steps:\n"
      + voices.map { "      v\($0): \"\(String(repeating: stroke, count: 64))\"\n" }.joined()
  }

  @Test func hitsAreLimitedTo512() throws {
    // 8 voices * 64 steps are 512 hits.
    let full = head + kit(9) + "layers:\n" + layer("a", voices: 0..<8)
    #expect(StepTable(try PatchLoader.patch(from: full, file: "big.yaml")).hitCount == 512)
    let found = faults(head + kit(9) + "layers:\n" + layer("a", voices: 0..<9))
    #expect(found == ["small.yaml:17: layers: contain 576 hits, more than the limit of 512; remove 64"])
    // A second layer replaces the strokes of voice 0 from activity 64 on. One voice with two strokes on each step makes
    // 64 more hits.
    let split = layer("a", voices: 0..<8) + layer("b", voices: 0..<1, stroke: "X", activity: "[64]")
    #expect(faults(head + kit(9) + "layers:\n" + split).first?.contains("contain 576 hits") == true)
  }

  @Test func voicesAreLimitedTo32() throws {
    let layers = "layers:\n" + layer("a", voices: 0..<1)
    #expect(try PatchLoader.patch(from: head + kit(32) + layers, file: "big.yaml").kit.count == 32)
    #expect(faults(head + kit(33) + layers) == ["small.yaml:7: kit: has 33 voices; write 1 to 32"])
  }

  @Test func groupsAreLimitedTo8() throws {
    let layers = "layers:\n" + layer("a", voices: 0..<1)
    let patch = try PatchLoader.patch(from: head + kit(8, groups: true) + layers, file: "big.yaml")
    #expect(patch.groups == (0..<8).map { "g\($0)" } && StepTable(patch).hit(0).group == 1)
    #expect(
      faults(head + kit(9, groups: true) + layers) == [
        "small.yaml:15: kit.v8.group: is one group too many: a kit has at most 8; "
          + "put the voice in another group, or in none"
      ])
  }

  @Test func layersAreLimitedTo32() throws {
    let layers = (0..<32).map { layer("l\($0)", voices: 0..<1) }.joined()
    #expect(try PatchLoader.patch(from: head + kit(1) + "layers:\n" + layers, file: "big.yaml").layers.count == 32)
    #expect(
      faults(head + kit(1) + "layers:\n" + layers + layer("more", voices: 0..<1))
        == ["small.yaml:9: layers: has 33 layers; write 1 to 32"])
  }

  @Test func barsAreLimitedByThePatternLength() {
    // A bar of 7/4 has 28 steps.
    #expect(
      faults(replacing: [3: "meter: 7/4", 4: "bars: 3"]).first
        == "small.yaml:4: bars: give 84 steps, more than the limit of 64; write 2")
  }

  @Test func reportedFaultsAreLimited() throws {
    let unknown = (0..<500).map { "field\($0): 1\n" }.joined()
    let error = try #require(throws: PatchError.self) {
      try PatchLoader.patch(from: head + unknown + kit(1) + "layers:\n" + layer("a", voices: 0..<1), file: "big.yaml")
    }
    // Of the 500 faults, 50 are reported.
    #expect(error.faults.count == PatchError.maximumFaults && error.omitted == 450)
    #expect(error.description.hasSuffix("\nand 450 more errors; correct the errors above first"))
  }
}
