/// A figure of an instrument: a pattern of notes and rests that repeats from the first downbeat of the rhythm.
///
/// Real-time: not safe.
public struct Figure: Hashable, Sendable {
  /// A note of a figure.
  public struct Note: Hashable, Sendable {
    /// The loudness of the note: a ghost note, a normal note or an accent.
    public let stroke: Stroke
    /// How many notes of the scale the note is above the pitch of the instrument (``Instrument/pitch``), 0...8.
    public let degree: UInt8
  }

  /// One element for each unit of the grid (``Quantizer/grid``): a note, or nil for a rest. There are 1...``maximumLength`` elements, and
  /// at least one of them is a note.
  public let notes: [Note?]

  public static let maximumLength = 64

  /// The notation in a patch, without spaces. A digit n above 1 is a normal note that is n - 1 notes of the scale above the pitch of the
  /// instrument. Ghost notes and accents always have the pitch of the instrument.
  public var text: String {
    String(notes.map { $0.map { $0.degree > 0 ? Character("\($0.degree + 1)") : $0.stroke.character } ?? "." })
  }

  /// The number of notes, without the rests.
  public var noteCount: Int { notes.count { $0 != nil } }

  /// Returns the rank of the note of each unit of `grid`. The note of rank n sounds if the density (``Instrument/density``) admits
  /// more than n notes. Accents rank before normal notes, and normal notes before ghost notes. Of equal strokes, the note in the
  /// stronger metrical position ranks first; in equal positions, the earlier note. The rank of a rest has no meaning.
  func ranks(grid: NoteValue) -> [Int] {
    let order = notes.indices.filter { notes[$0] != nil }.sorted { a, b in
      let (first, second) = (importance(of: a, grid), importance(of: b, grid))
      // The importances are in descending order, and the units in ascending order.
      return (second.stroke, second.meter, a) < (first.stroke, first.meter, b)
    }
    var ranks = [Int](repeating: 0, count: notes.count)
    for (rank, unit) in order.enumerated() { ranks[unit] = rank }
    return ranks
  }

  /// The importance of the note of a unit: the velocity of its stroke, and the strength of its metrical position. The strength is the
  /// length in ticks of the longest note value in the list below that divides the tick of the unit.
  private func importance(of unit: Int, _ grid: NoteValue) -> (stroke: UInt8, meter: Int) {
    let tick = unit * Int(grid.ticks)
    // In ticks: whole, half, quarter and eighth note, eighth triplet, sixteenth note and triplet, thirty-second note and triplet.
    let noteValues = [96, 48, 24, 12, 8, 6, 4, 3, 2]
    return (notes[unit]?.stroke.velocity ?? 0, noteValues.first { tick % $0 == 0 } ?? 0)
  }
}
