/// The strokes of an imported pattern, by drum and position, and their notation as lines of a patch.
struct StrokeGrid {
  private let stepsPerBar: Int
  private let bars: Int
  /// The number of ticks per quarter note in the file.
  private let resolution: Int64
  /// The strokes by key, grid (4 or 6 positions per quarter note) and position from the start.
  private var strokes: [UInt8: [Int: [Int: Stroke]]] = [:]
  /// The number of notes, including grace notes.
  private(set) var noteCount = 0
  /// The number of notes that are not used, because their position is occupied or is after the end of the pattern.
  private(set) var unused = 0

  init(stepsPerBar: Int, bars: Int, resolution: Int64) {
    (self.stepsPerBar, self.bars, self.resolution) = (stepsPerBar, bars, resolution)
  }

  /// The positions per quarter note of the grids. Triplets fit only if the bar is a whole number of eighth notes.
  private var grids: [Int] { stepsPerBar % 2 == 0 ? [4, 6] : [4] }

  /// Adds the notes of one drum, whose ticks are counted from the start of the pattern. If every note is at most 1/24 quarter note
  /// from a position of one grid, all notes use this grid. Otherwise each note uses the grid with the nearer position. A note after
  /// the last position belongs to the next bar and is not used.
  mutating func add(_ notes: [PatchImport.Note]) {
    // The limit is 1/24 quarter note, which is `resolution` / 24 ticks. The unit of the distances is 1/24 tick, so the limit is
    // `resolution` units.
    let fitting = grids.first { grid in notes.allSatisfy { nearest($0, on: grid).distance <= resolution } }
    for note in notes {
      let candidates = (fitting.map { [$0] } ?? grids).map { (grid: $0, nearest: nearest(note, on: $0)) }
      // Of equal distances, the first grid wins.
      guard let best = candidates.min(by: { $0.nearest.distance < $1.nearest.distance }) else { continue }
      add(note, on: best.grid, at: Int(best.nearest.position))
    }
  }

  /// The nearest position on a grid, counted from the start, and the distance from it in units of 1/24 tick of the file.
  private func nearest(_ note: PatchImport.Note, on grid: Int) -> (position: Int64, distance: Int64) {
    let position = max(0, (2 * note.tick * Int64(grid) + resolution) / (2 * resolution))
    return (position, abs(24 * note.tick - position * 24 * resolution / Int64(grid)))
  }

  private mutating func add(_ note: PatchImport.Note, on grid: Int, at position: Int) {
    guard position < bars * stepsPerBar * grid / 4, strokes[note.key]?[grid]?[position] == nil else {
      unused += 1
      return
    }
    strokes[note.key, default: [:]][grid, default: [:]][position] = Self.stroke(note)
    noteCount += note.isFlam ? 2 : 1
  }

  /// The stroke whose velocity (``Stroke/velocity``) is nearest to that of the note.
  private static func stroke(_ note: PatchImport.Note) -> Stroke {
    switch (note.velocity, note.isFlam) {
    case (...72, false): .ghost
    case (...104, false): .normal
    case (_, false): .accent
    case (...104, true): .flam
    case (_, true): .accentedFlam
    }
  }

  /// The name of a key in the patch.
  private func name(_ key: UInt8) -> String { DrumNames.name(of: key) ?? "note \(key)" }

  /// The field `kit` with the keys that are not General MIDI drums; empty if there are none.
  var kit: String {
    let keys = strokes.keys.sorted().filter { DrumNames.name(of: $0) == nil }
    return keys.isEmpty ? "" : "kit:\n" + keys.map { "  note \($0): \($0)\n" }.joined() + "\n"
  }

  /// The lines, one for each drum and grid, in groups of `beat` steps.
  func lines(beat: Int) -> String {
    var lines: [(name: String, text: String)] = []
    for key in strokes.keys.sorted() {
      for (index, (grid, strokes)) in strokes[key, default: [:]].sorted(by: { $0.key < $1.key }).enumerated() {
        // A second line of the same drum needs another key in YAML: a chance of 100 % changes nothing.
        lines.append((name(key) + (index > 0 ? " 100%" : ""), line(strokes, grid: grid, beat: beat)))
      }
    }
    let width = lines.map(\.name.count).max() ?? 0
    return lines.map { name, text in
      "    \(name):" + String(repeating: " ", count: width - name.count + 1) + text
    }.joined(separator: "\n")
  }

  /// The notation of a line. If the bars repeat, only the repeated part is written. Eighth-note triplets are written with three
  /// characters per quarter note, if the bar is a whole number of quarter notes. Spaces separate groups of characters. A group is one
  /// beat, but at least two characters.
  private func line(_ strokes: [Int: Stroke], grid: Int, beat: Int) -> String {
    let length = stepsPerBar * grid / 4
    var texts = (0..<bars).map { bar in
      String((0..<length).map { strokes[bar * length + $0]?.character ?? "." })
    }
    var perQuarter = grid
    if grid == 6, stepsPerBar % 4 == 0, strokes.keys.allSatisfy({ $0 % 2 == 0 }) {
      perQuarter = 3
      texts = texts.map { bar in String(bar.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)) }
    }
    let period = (1...bars).first { period in
      bars % period == 0 && (period..<bars).allSatisfy { texts[$0] == texts[$0 - period] }
    }
    let group = max(2, perQuarter * beat / 4)
    return texts.prefix(period ?? bars).map { bar in
      stride(from: 0, to: bar.count, by: group).map { start in
        String(bar.dropFirst(start).prefix(group))
      }.joined(separator: " ")
    }.joined(separator: " | ")
  }
}
