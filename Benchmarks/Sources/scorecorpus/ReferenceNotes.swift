import Foundation

/// A note for the comparison. Onset and length are in thousandths of a quarter note.
struct ComparedNote: Hashable, Comparable {
  /// The index of the bar; 0 if onsets count from the beginning of the score.
  var bar: Int
  var onset: Int
  /// The MIDI key of the written pitch; -1 for an unpitched note.
  var pitch: Int
  var length: Int

  static func < (a: ComparedNote, b: ComparedNote) -> Bool {
    (a.bar, a.onset, a.pitch, a.length) < (b.bar, b.onset, b.pitch, b.length)
  }
}

/// The notes of a file as music21 reads them, by part.
struct ReferenceNotes {
  /// With onsets from the beginning of the bar.
  private(set) var parts: [[ComparedNote]] = []
  /// The starts of the bars of each part in thousandths of a quarter note.
  private(set) var starts: [[Int]] = []
  /// The reason why music21 cannot read the file.
  private(set) var error: String?

  var count: Int { parts.reduce(0) { $0 + $1.count } }

  init(path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var bar = -1
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "))
      guard let first = fields.first else { continue }
      if first.elementsEqual("part".utf8) {
        parts.append([])
        starts.append([])
        bar = -1
      } else if first.elementsEqual("staff".utf8) {
        bar = -1
      } else if first.elementsEqual("error".utf8) {
        error = String(Substring(line).dropFirst(6))
      } else if first.elementsEqual("bar".utf8), fields.count == 2, let start = thousandths(fields[1]) {
        bar += 1
        if starts[starts.count - 1].count == bar { starts[starts.count - 1].append(start) }
      } else if fields.count == 3, let onset = thousandths(first), let length = thousandths(fields[2]) {
        let pitch = Int(Substring(fields[1])) ?? -1
        parts[parts.count - 1].append(ComparedNote(bar: bar, onset: onset, pitch: pitch, length: length))
      }
    }
  }
}

/// The fraction that `text` writes, in rounded thousandths.
private func thousandths(_ text: Substring.UTF8View) -> Int? {
  let numbers = text.split(separator: UInt8(ascii: "/")).map { Int(Substring($0)) }
  guard let numerator = numbers.first ?? nil else { return nil }
  let denominator = numbers.count > 1 ? numbers[1] ?? 1 : 1
  return Int((Double(numerator) * 1000 / Double(denominator)).rounded())
}
