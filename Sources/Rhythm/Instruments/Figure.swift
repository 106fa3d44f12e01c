/// A rhythmic figure of an instrument. It repeats from the first downbeat of the rhythm.
public struct Figure: Hashable, Sendable {
  /// A note of a figure.
  public struct Note: Hashable, Sendable {
    /// The loudness of the note: a ghost note, a normal note or an accent.
    public let stroke: Stroke
    /// How many notes of the scale the note is above the pitch of the instrument, 0...8.
    public let degree: UInt8
  }

  /// The notes, one for each unit of the grid, 1...``maximumLength``; nil for a rest. At least one is a note.
  public let notes: [Note?]

  public static let maximumLength = 64

  /// The notation in a patch, without spaces. A digit n above 1 is a normal note, n - 1 notes of the scale above the pitch of the
  /// instrument. Ghost notes and accents are always at this pitch.
  public var text: String {
    String(notes.map { $0.map { $0.degree > 0 ? Character("\($0.degree + 1)") : $0.stroke.character } ?? "." })
  }

  /// The number of notes.
  public var noteCount: Int { notes.count { $0 != nil } }

  /// Returns the rank of the note of each unit of `grid`. The note of rank n sounds if the density (``Instrument/density``) admits
  /// more than n notes. Accents rank before normal notes, and normal notes before ghost notes. Of equal strokes, the note in the
  /// stronger metrical position ranks first; in equal positions, the earlier note. The rank of a rest has no meaning.
  func ranks(grid: NoteValue) -> [Int] {
    let order = notes.indices.filter { notes[$0] != nil }.sorted { a, b in
      let (first, second) = (importance(of: a, grid), importance(of: b, grid))
      return (second.stroke, second.meter, a) < (first.stroke, first.meter, b)
    }
    var ranks = [Int](repeating: 0, count: notes.count)
    for (rank, unit) in order.enumerated() { ranks[unit] = rank }
    return ranks
  }

  /// The importance of the note of a unit: the velocity of its stroke, and the length in ticks of the longest note value
  /// in the list below on whose grid the unit lies.
  private func importance(of unit: Int, _ grid: NoteValue) -> (stroke: UInt8, meter: Int) {
    let tick = unit * Int(grid.ticks)
    return (notes[unit]?.stroke.velocity ?? 0, [96, 48, 24, 12, 8, 6, 4, 3, 2].first { tick % $0 == 0 } ?? 0)
  }
}
