import Rhythm
import Text

/// A list of the rhythms of the library on the terminal, to choose one with the arrow keys.
struct PatchChooser {
  private let names: [String]
  /// The marked rhythm.
  private(set) var index: Int

  /// Nil if there is no rhythm. `current` is marked first.
  init?(_ names: [String], current: String?) {
    if names.isEmpty { return nil }
    self.names = names
    index = current.flatMap { names.firstIndex(of: $0) } ?? 0
  }

  var chosen: String { names[index] }

  mutating func move(by count: Int) { index = min(max(index + count, 0), names.count - 1) }

  /// The rows around the marked one that fit a terminal of this size beside one status line, and a line that names the keys.
  func lines(columns: Int, rows: Int) -> [String] {
    let height = Self.height(rows)
    let first = min(max(index - height / 2, 0), max(names.count - height, 0))
    let width = names.map(\.columns).max() ?? 0
    let list = (first..<min(first + height, names.count)).map { row in
      // The file can have an error. It is reported when the rhythm is chosen.
      let patch = try? PatchLibrary.rhythm(names[row])
      let meter = patch.map { "\($0.meter.beats)/\($0.meter.unit)".padded(toColumns: 5) } ?? ""
      let line = "\(names[row].padded(toColumns: width))  \(meter) \(patch?.description ?? "has an error")"
      return (row == index ? "> " : "  ") + line
    }
    return list + ["\(index + 1)/\(names.count)  up, down: move; Return: play it; Esc: leave"]
  }

  /// The number of rows of the list on a terminal of `rows` rows.
  static func height(_ rows: Int) -> Int { max(1, rows - 4) }
}
