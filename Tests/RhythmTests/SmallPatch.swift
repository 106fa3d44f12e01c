import Rhythm

/// The lines of a small valid patch, with their numbers. The tests of faults replace some of them.
let smallPatch = [
  "name: small",  // 1
  "description: A kick and a hat.",  // 2
  "meter: 4/4",  // 3
  "bars: 1",  // 4
  "tempo: 96.5",  // 5
  "kit:",  // 6
  "  kick: { note: 36 }",  // 7
  "  closed: { note: 42, group: hats }",  // 8
  "  open: { note: 46, group: hats }",  // 9
  "layers:",  // 10
  "  - name: low",  // 11
  "    activity: [0]",  // 12
  "    steps:",  // 13
  "      kick: X... .... | x... ....",  // 14
  "  - name: high",  // 15
  "    activity: [64, 100]",  // 16
  "    steps:",  // 17
  "      closed: o.x. o.x. o.x. o...",  // 18
  "      open: .... .... .... ..x.",  // 19
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
