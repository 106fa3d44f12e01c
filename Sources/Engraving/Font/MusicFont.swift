/// The outline of a glyph in staff spaces. The origin is that of the font: the staff line or the middle of the note on which the glyph
/// stands.
public struct Outline: Hashable, Sendable {
  public enum Segment: Hashable, Sendable, BitwiseCopyable {
    case move(Point)
    case line(Point)
    /// Two control points and the end of a cubic Bézier curve.
    case curve(Point, Point, Point)
    case close
  }

  public var segments: [Segment]
  public var box: Box
  /// The distance to the next glyph of a text (dynamics, digits).
  public var advance: Double

  public init(segments: [Segment], box: Box, advance: Double) {
    (self.segments, self.box, self.advance) = (segments, box, advance)
  }
}

/// The glyphs of a music font as values, so that layout needs no font library.
public struct MusicFont: Sendable {
  /// The glyphs that engraving uses, by their names in SMuFL 1.4.
  public enum Glyph: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case gClef, fClef, cClef, unpitchedPercussionClef1, gClefChange, fClefChange, cClefChange
    case noteheadDoubleWhole, noteheadWhole, noteheadHalf, noteheadBlack
    case noteheadXWhole, noteheadXHalf, noteheadXBlack, noteheadDiamondWhole, noteheadDiamondHalf, noteheadDiamondBlack
    case noteheadTriangleUpWhole, noteheadTriangleUpHalf, noteheadTriangleUpBlack, noteheadSlashWhiteWhole
    case noteheadSlashWhiteHalf, noteheadSlashHorizontalEnds
    case noteheadCircleX
    case augmentationDot
    case flag8thUp, flag16thUp, flag32ndUp, flag64thUp, flag128thUp, flag256thUp
    case flag8thDown, flag16thDown, flag32ndDown, flag64thDown, flag128thDown, flag256thDown
    case graceNoteSlashStemUp, graceNoteSlashStemDown
    case restMaxima, restLonga, restDoubleWhole, restWhole, restHalf, restQuarter, rest8th, rest16th, rest32nd
    case rest64th, rest128th, rest256th
    case accidentalFlat, accidentalNatural, accidentalSharp, accidentalDoubleSharp, accidentalDoubleFlat
    case accidentalQuarterToneFlatStein, accidentalQuarterToneSharpStein, accidentalThreeQuarterTonesFlatZimmermann
    case accidentalThreeQuarterTonesSharpStein, accidentalParensLeft, accidentalParensRight
    case timeSig0, timeSig1, timeSig2, timeSig3, timeSig4, timeSig5, timeSig6, timeSig7, timeSig8, timeSig9
    case timeSigCommon, timeSigCutCommon, timeSigPlus
    case dynamicPiano, dynamicMezzo, dynamicForte, dynamicRinforzando, dynamicSforzando, dynamicZ, dynamicNiente
    case articAccentAbove, articAccentBelow, articStaccatoAbove, articTenutoAbove, articStaccatissimoAbove
    case articStaccatissimoBelow
    case articMarcatoAbove, articMarcatoBelow, articTenutoStaccatoAbove, articTenutoStaccatoBelow
    case fermataAbove, fermataBelow, breathMarkComma, caesura, stringsUpBow, stringsDownBow
    case segno, coda, brace
    case ornamentTrill, ornamentTurn, ornamentTurnInverted, ornamentMordent, ornamentShortTrill
    case harmonicOpen, snapPizzicatoAbove, stopped
  }

  /// The outlines of the glyphs that the font has. `brace` has the height of 1 staff space and is scaled.
  public let outlines: [Glyph: Outline]
  /// The thickness of staff lines, stems, beams and so on in staff spaces, by the names of SMuFL's `engravingDefaults`.
  public let staffLineThickness: Double
  public let stemThickness: Double
  public let beamThickness: Double
  /// Where a stem joins a note head, for heads that have a stem: the right side for stems up, the left side for stems down.
  public let stemUp: [Glyph: Point]
  public let stemDown: [Glyph: Point]

  public init(
    outlines: [Glyph: Outline], staffLineThickness: Double, stemThickness: Double, beamThickness: Double,
    stemUp: [Glyph: Point], stemDown: [Glyph: Point]
  ) {
    (self.outlines, self.staffLineThickness) = (outlines, staffLineThickness)
    (self.stemThickness, self.beamThickness) = (stemThickness, beamThickness)
    (self.stemUp, self.stemDown) = (stemUp, stemDown)
  }

  /// The box of a glyph at the origin; an empty box if the font lacks it.
  public func box(_ glyph: Glyph) -> Box { outlines[glyph]?.box ?? Box(left: 0, top: 0, right: 0, bottom: 0) }
}

/// The widths of the characters of a text font, in units of the font size.
public struct TextFont: Sendable {
  /// Widths of Unicode scalars in units of the font size.
  public let widths: [Unicode.Scalar: Double]
  /// The width of a scalar that the font lacks: 0.6, but 1 for East Asian scalars and 0 for combining marks.
  public let ascent: Double
  /// Positive, below the baseline.
  public let descent: Double

  public init(widths: [Unicode.Scalar: Double], ascent: Double, descent: Double) {
    (self.widths, self.ascent, self.descent) = (widths, ascent, descent)
  }
}

/// The fonts of an engraving.
public struct FontSet: Sendable {
  public let music: MusicFont
  /// By ``TextStyle/Face``.
  public let faces: [TextStyle.Face: TextFont]

  public init(music: MusicFont, faces: [TextStyle.Face: TextFont]) { (self.music, self.faces) = (music, faces) }
}
