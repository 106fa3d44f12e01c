import Scores

/// The grid of a quarter note to which the notes of a MIDI file are moved: the simplest division that fits them.
///
/// The notes of a written file are exactly on divisions, so that each quarter note gets the simplest one that fits exactly. Notes that a
/// person played get the simplest division that is within 1/24 quarter note, or else the one with the smallest mean error. The order of the
/// divisions is that of their frequency in printed music.
struct BeatGrid {
  /// Parts per quarter note, from the simplest.
  private static let divisions: [Int64] = [1, 2, 4, 3, 8, 6, 12, 5, 16, 7, 9, 24, 32, 10, 20, 48]
  /// The divisions for notes that a person played.
  private static let playedDivisions: [Int64] = [1, 2, 4, 3, 8, 6]

  let division: Int64

  /// Chooses a division.
  ///
  /// - Parameters:
  ///   - offsets: ticks of notes from the beginning of the quarter note.
  ///   - resolution: ticks per quarter note.
  ///   - isWritten: whether all notes of the part are on divisions (``isExact(_:resolution:)``).
  init(_ offsets: [Int64], resolution: Int64, isWritten: Bool) {
    func error(_ offset: Int64, _ division: Int64) -> Int64 { Self.error(offset, division, resolution) }
    func fits(_ division: Int64, _ ticks: Int64) -> Bool {
      offsets.allSatisfy { error($0, division) <= ticks * division }
    }
    if isWritten, let exact = Self.exactDivision(offsets, resolution) {
      division = exact
    } else if let near = Self.playedDivisions.first(where: { fits($0, resolution / 24) }) {
      division = near
    } else {
      division = Self.playedDivisions.min { a, b in
        offsets.reduce(0) { $0 + error($1, a) } * b < offsets.reduce(0) { $0 + error($1, b) } * a
      }!
    }
  }

  /// Whether one division has all offsets.
  static func isExact(_ offsets: [Int64], resolution: Int64) -> Bool { exactDivision(offsets, resolution) != nil }

  private static func exactDivision(_ offsets: [Int64], _ resolution: Int64) -> Int64? {
    divisions.first { division in offsets.allSatisfy { error($0, division, resolution) < division } }
  }

  /// The distance from the nearest point, in ticks times the division.
  private static func error(_ offset: Int64, _ division: Int64, _ resolution: Int64) -> Int64 {
    let rest = (offset * division) % resolution
    return min(rest, resolution - rest)
  }

  /// The point nearest to an offset in ticks, as parts of the division.
  func point(_ offset: Int64, resolution: Int64) -> Int64 { (2 * offset * division + resolution) / (2 * resolution) }
}
