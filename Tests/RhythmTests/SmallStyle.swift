import MusicalTime
import Rhythm

/// The lines of a small valid style, with their numbers. The tests of faults replace some of these lines.
let smallStyle = [
  "name: small",  // 1
  "description: A style.",  // 2
  "tempo: 120",  // 3
  "chords: Dm7 | G7 Cmaj7",  // 4
  "play:",  // 5
  "  always: { kick: x... x... x... x... }",  // 6
  "parts:",  // 7
  "  bass:",  // 8
  "    sound: fretless bass",  // 9
  "    range: E1..C3",  // 10
  "    level: 90%",  // 11
  "    feel: -3 ms",  // 12
  "    always:",  // 13
  "      root: X--- ..x- X--- ....",  // 14
  "    from 60 to 90:",  // 15
  "      fifth! 20-80%: .... ..x. .... ...x",  // 16
  "  keys:",  // 17
  "    always:",  // 18
  "      chord: ..x- .... ..x- ....",  // 19
]

/// The faults of ``smallStyle`` with some lines replaced. The keys are line numbers from 1 on. An empty replacement removes the
/// line.
func styleFaults(replacing lines: [Int: String] = [:]) -> [String] {
  faults(
    smallStyle.enumerated().compactMap { place, line in
      let line = lines[place + 1] ?? line
      return line.isEmpty ? nil : line
    }.joined(separator: "\n"))
}

/// The table of a style without swell, with these chords and parts. The drums have one hit per bar.
func makeStyle(_ chords: String, _ parts: String, meter: String = "4/4", fields: String = "") throws -> StepTable {
  let steps = ["4/4": "x... .... .... ....", "3/4": "x... .... ....", "1/4": "x..."][meter] ?? "x..."
  return try makeTable(
    """
    meter: \(meter)
    swell: 0%
    chords: \(chords)
    \(fields)
    play: { always: { kick: \(steps) } }
    parts: { \(parts) }
    """)
}

/// A note of a pitched part: the step and what sounds there.
struct StyleNote: Hashable, CustomStringConvertible {
  var step: Int64
  var key: UInt8
  /// The end of the note in ticks after the first tick of the step.
  var end: Int32

  init(_ step: Int64, _ key: UInt8, _ end: Int32) { (self.step, self.key, self.end) = (step, key, end) }

  var description: String { "(\(step), \(key), \(end))" }
}

extension StepTable {
  /// The notes of a pitched part in a range of steps, in the order of their steps and keys.
  func notes(_ part: Part, _ steps: Range<Int64>, activity: UInt8 = 0) -> [StyleNote] {
    steps.flatMap { step in
      hits(at: Step(step), activity: activity).filter { $0.part == part }.map { StyleNote(step, $0.note, $0.end) }
        .sorted { $0.key < $1.key }
    }
  }
}
