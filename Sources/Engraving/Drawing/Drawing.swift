public import Scores

/// The style of a text.
public struct TextStyle: Hashable, Sendable, BitwiseCopyable {
  public enum Face: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable { case roman, italic, bold, boldItalic }

  public var face: Face
  /// The font size in staff spaces.
  public var size: Double

  public init(_ face: Face, size: Double) { (self.face, self.size) = (face, size) }
}

/// What is drawn, in staff spaces. A writer turns it into SVG.
public enum Shape: Hashable, Sendable {
  case glyph(MusicFont.Glyph, at: Point, scale: Double)
  /// A line with flat ends. `dash` is the length of a dash and of a gap; 0 for a solid line.
  case line(from: Point, to: Point, thickness: Double, dash: Double)
  /// A filled polygon: beams.
  case polygon([Point])
  /// A slur or tie: a cubic Bézier curve, `thickness` thick in the middle and pointed at its ends.
  case slur(from: Point, Point, Point, to: Point, thickness: Double)
  /// An unfilled box with rounded corners, around a rehearsal mark.
  case frame(Box, thickness: Double)
  /// A text that begins at `at`, on the baseline. `width` is its width in staff spaces by the metrics of the font.
  case text(String, at: Point, TextStyle, width: Double)
}

/// One element of an engraving: a note, a rest, a clef, a slur. Its shapes belong together for a screen reader and for a choice by touch.
public struct Element: Sendable {
  public enum Role: String, Sendable, CaseIterable {
    case staff, barLine, note, rest, stem, flag, beam, ledger, accidental, dot, clef, key, metre, tie, slur, tuplet
    case dynamic, hairpin, articulation, fermata, breath, words, tempo, rehearsal, lyric, chordSymbol, ending
    case segno, coda, jump, barNumber, brace, title, creator, partName, multiRest
  }

  public var role: Role
  /// The id of the note, rest, chord symbol or bar in the score; 0 if the element has none.
  public var id: UInt32
  /// The index of the bar in ``Score/bars``; nil for titles.
  public var bar: Int?
  /// The position in quarter notes from the beginning of the bar, for notes, rests and chord symbols.
  public var offset: Fraction?
  /// What a screen reader says after bar and beat, such as `F#5 dotted quarter`; empty for elements that need no words.
  public var label: String
  public var shapes: [Shape]

  public init(
    _ role: Role, id: UInt32 = 0, bar: Int? = nil, offset: Fraction? = nil, label: String = "", shapes: [Shape] = []
  ) {
    (self.role, self.id, self.bar, self.offset) = (role, id, bar, offset)
    (self.label, self.shapes) = (label, shapes)
  }
}

/// One system: the staves of a part over the width of the page. Its origin is the top line of its first staff at the left edge.
public struct System: Sendable {
  /// A bar, or several bars of a multi-bar rest.
  public struct Measure: Sendable {
    /// Indices in ``Score/bars``.
    public var bars: Range<Int>
    public var left: Double
    public var right: Double
    /// Where the cursor stands at each onset: (bar, position in quarter notes, x), ascending. The first has the position 0; the cursor
    /// reaches `right` at the end of the last bar.
    public var onsets: [(bar: Int, offset: Fraction, x: Double)]

    public init(bars: Range<Int>, left: Double, right: Double, onsets: [(bar: Int, offset: Fraction, x: Double)]) {
      (self.bars, self.left, self.right, self.onsets) = (bars, left, right, onsets)
    }
  }

  public var measures: [Measure]
  public var elements: [Element]
  /// The y of the top line of each staff; the first is 0.
  public var staves: [Double]
  /// The extent above the origin (negative) and below it, with everything that is drawn.
  public var top: Double
  public var bottom: Double

  public init(measures: [Measure], elements: [Element], staves: [Double], top: Double, bottom: Double) {
    (self.measures, self.elements, self.staves) = (measures, elements, staves)
    (self.top, self.bottom) = (top, bottom)
  }
}

/// A part, engraved at one width.
public struct EngravedPart: Sendable {
  /// The width in staff spaces.
  public var width: Double
  /// Title, creators and part name. The origin is the top left corner.
  public var header: [Element]
  public var headerHeight: Double
  public var systems: [System]
  /// The elements of the score that are not drawn, by name and count, ascending by name.
  public var missing: [(name: String, count: Int)]

  public init(
    width: Double, header: [Element], headerHeight: Double, systems: [System], missing: [(name: String, count: Int)]
  ) {
    (self.width, self.header, self.headerHeight) = (width, header, headerHeight)
    (self.systems, self.missing) = (systems, missing)
  }
}
