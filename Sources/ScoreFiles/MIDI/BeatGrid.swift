import Scores

/// The grid of a quarter note to which the notes of a MIDI file are moved: the simplest division that fits them.
///
/// First, a division fits if every note is within one tick of the file, so that files from notation programs are read as they were
/// written. Notes that a person played fit none of them, and get the simplest division that is within 1/24 quarter note. Otherwise the
/// division with the smallest mean error is used. The order of the divisions is that of their frequency in printed music.
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
  init(_ offsets: [Int64], resolution: Int64) {
    func error(_ offset: Int64, _ division: Int64) -> Int64 {
      // In ticks times the division: the distance from the nearest point.
      let rest = (offset * division) % resolution
      return min(rest, resolution - rest)
    }
    func fits(_ division: Int64, _ ticks: Int64) -> Bool {
      offsets.allSatisfy { error($0, division) <= ticks * division }
    }
    if let exact = Self.divisions.first(where: { division in
      offsets.allSatisfy { error($0, division) < division }
    }) {
      division = exact
    } else if let near = Self.playedDivisions.first(where: { fits($0, resolution / 24) }) {
      division = near
    } else {
      division = Self.playedDivisions.min { a, b in
        offsets.reduce(0) { $0 + error($1, a) } * b < offsets.reduce(0) { $0 + error($1, b) } * a
      }!
    }
  }

  /// The point nearest to an offset in ticks, as parts of the division.
  func point(_ offset: Int64, resolution: Int64) -> Int64 { (2 * offset * division + resolution) / (2 * resolution) }
}
