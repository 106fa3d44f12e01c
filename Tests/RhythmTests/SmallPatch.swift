import Rhythm

/// A small valid patch. The fault tests replace its lines one at a time.
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

func faults(_ text: String) -> [String] {
  do throws(PatchError) {
    _ = try PatchLoader.patch(from: text, file: "small.yaml")
    return []
  } catch {
    return error.faults.map(\.description)
  }
}

/// The faults of the valid patch with some lines replaced. An empty replacement removes the line.
func faults(replacing lines: [Int: String]) -> [String] {
  faults(
    smallPatch.enumerated().compactMap { place, line in
      let line = lines[place + 1] ?? line
      return line.isEmpty ? nil : line
    }.joined(separator: "\n"))
}
