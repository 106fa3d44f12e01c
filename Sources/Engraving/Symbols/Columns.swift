import Scores

/// A box on a staff: x from the column, y from the top line of the staff.
struct StaffBox {
  var staff: Int
  var box: Box
}

/// What must keep its distance in a row of its own, such as the syllables of one verse. x is from the column.
struct LaneBox {
  var lane: Int
  var left: Double
  var right: Double
  /// The distance to the next box of the lane.
  var gap: Double
}

/// All that sounds, or changes, at one position.
struct Column {
  var measure: Int
  var tick: Int
  /// 0 for notes, less for grace notes before them, and ``changeOrder`` for clefs and keys.
  var order: Int
  /// Indices in ``SymbolTable/columnChords``.
  var chords: Range<Int>
  /// Indices in ``NotatedMeasure/inner``.
  var changes: [Int] = []
  var boxes: Range<Int> = 0..<0
  var lanes: Range<Int> = 0..<0
  var left = 0.0
  var right = 0.0

  static let changeOrder = -1_000_000
}

/// Where the parts of a chord stand, from its column.
struct ChordGeometry {
  var column = -1
  /// The x of the heads that are not displaced.
  var shift = 0.0
  var left = 0.0
  var right = 0.0
  /// The y of the highest and lowest head or rest.
  var top = 2.0
  var bottom = 2.0
  /// The middle of the stem, where it begins, and its tip without a beam.
  var stemX = 0.0
  var stemBase = 0.0
  var stemTip = 0.0
  /// The x of the first dot.
  var dotX = 0.0
  /// The y of the reference line of a rest.
  var restY = 2.0
}

/// An accidental at its place.
struct PlacedAccidental {
  var note: Int
  var glyph: MusicFont.Glyph
  var x: Double
  var y: Double
  var scale: Double
}

/// A ledger line, from its column.
struct LedgerLine {
  var staff: Int
  var left: Double
  var right: Double
  var y: Double
}

/// The columns of a part with their symbols.
struct SymbolTable {
  var columns: [Column] = []
  /// The columns of each measure.
  var measures: [Range<Int>] = []
  var columnChords: [Int] = []
  var boxes: [StaffBox] = []
  var lanes: [LaneBox] = []
  var chords: [ChordGeometry] = []
  /// For each note: its x from the column, its head, the place of its dots (nil for none).
  var noteX: [Double] = []
  var heads: [MusicFont.Glyph?] = []
  var dotPlaces: [Int?] = []
  /// Accidentals and ledger lines of each column.
  var accidentals: [PlacedAccidental] = []
  var accidentalRanges: [Range<Int>] = []
  var ledgers: [LedgerLine] = []
  var ledgerRanges: [Range<Int>] = []
}

/// The y of a place on the staff.
func staffY(_ place: Int) -> Double { 2 - Double(place) / 2 }
