import Rhythm

/// The lines of a small valid patch, with their numbers. The tests of faults replace some of these lines.
///
/// `Sources/Rhythm/Rhythm.docc/Patches.md` describes the format, and ``Stroke`` describes the characters of the strokes. In line 17, the
/// percentages are chances. In line 18, `!` means that the line replaces the earlier line of the kick. Three strokes per quarter note
/// are triplets.
let smallPatch = [
  "name: small",  // 1
  "description: A kick and a hat.",  // 2
  "meter: 4/4",  // 3
  "tempo: 96.5",  // 4
  "swing: 60%",  // 5
  "feel: { kick: -3 ms }",  // 6
  "level: { hat: 80% }",  // 7
  "kit:",  // 8
  "  boom: 35",  // 9
  "  bell: { note: 53, group: bells }",  // 10
  "play:",  // 11
  "  always:",  // 12
  "    kick: X... .... x... .... | X... .... .... ....",  // 13
  "    boom: x..x ..x. x..x ..x.",  // 14
  "  from 64 to 100:",  // 15
  "    hat: o.x. o.x. o.x. o...",  // 16
  "    open hat 20-80%: .... .... .... ..x.",  // 17
  "    kick!: xxx xxx xxx xxx",  // 18
  "fill:",  // 19
  "  every: 8 bars",  // 20
  "  chance: 60%",  // 21
  "  bell: .... .... .... xxxF",  // 22
]

/// The faults that the loader reports for a patch with this text; empty if the patch is valid.
func faults(_ text: String) -> [String] {
  do throws(PatchError) {
    _ = try PatchLoader.patch(from: text, file: "small.yaml")
    return []
  } catch {
    return error.faults.map(\.description)
  }
}

/// The faults of ``smallPatch`` with some lines replaced. The keys are line numbers from 1 on. An empty replacement
/// removes the line.
func faults(replacing lines: [Int: String]) -> [String] {
  faults(
    smallPatch.enumerated().compactMap { place, line in
      let line = lines[place + 1] ?? line
      return line.isEmpty ? nil : line
    }.joined(separator: "\n"))
}

/// The table of a patch with these fields after name, description and tempo.
func makeTable(_ fields: String) throws -> StepTable {
  let head = "name: test\ndescription: A test.\ntempo: 120\n"
  return StepTable(try PatchLoader.patch(from: head + fields, file: "test.yaml"))
}
