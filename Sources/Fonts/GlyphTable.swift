import Engraving

/// Where each glyph of ``MusicFont/Glyph`` is in a font.
struct GlyphEntry {
  /// Which point of the glyph becomes its origin, so that glyphs of all fonts are placed alike.
  enum Origin {
    /// As in the font: a staff line or the middle of a note.
    case font
    /// The left edge of the box; vertically as in the font.
    case left
    /// The bottom left corner of the box: signs above a staff.
    case bottom
    /// The top left corner of the box: signs below a staff.
    case top
    /// The left edge and the vertical middle of the box: the digits of a metre.
    case middle
    /// The left edge of the stem and the end of the stem: flags.
    case stemUp
    case stemDown
    /// Like the flag of an eighth note, on which the slash lies.
    case slashUp
    case slashDown
  }

  /// The code point in SMuFL 1.4.
  let code: UInt32
  /// The name in Emmentaler; nil if Emmentaler has no such glyph.
  let name: String?
  let origin: Origin

  init(_ code: UInt32, _ name: String?, _ origin: Origin = .font) {
    (self.code, self.name, self.origin) = (code, name, origin)
  }

  /// Sources: SMuFL 1.4, `glyphnames.json`; LilyPond 2.24, Notation Reference A.8, "The Emmentaler font".
  static func of(_ glyph: MusicFont.Glyph) -> GlyphEntry {
    switch glyph {
    case .gClef: GlyphEntry(0xE050, "clefs.G")
    case .fClef: GlyphEntry(0xE062, "clefs.F")
    case .cClef: GlyphEntry(0xE05C, "clefs.C")
    case .unpitchedPercussionClef1: GlyphEntry(0xE069, "clefs.percussion", .left)
    case .gClefChange: GlyphEntry(0xE07A, "clefs.G_change")
    case .fClefChange: GlyphEntry(0xE07C, "clefs.F_change")
    case .cClefChange: GlyphEntry(0xE07B, "clefs.C_change")
    case .noteheadDoubleWhole: GlyphEntry(0xE0A0, "noteheads.sM1", .left)
    case .noteheadWhole: GlyphEntry(0xE0A2, "noteheads.s0")
    case .noteheadHalf: GlyphEntry(0xE0A3, "noteheads.s1")
    case .noteheadBlack: GlyphEntry(0xE0A4, "noteheads.s2")
    case .noteheadXWhole: GlyphEntry(0xE0A7, "noteheads.s0cross")
    case .noteheadXHalf: GlyphEntry(0xE0A8, "noteheads.s1cross")
    case .noteheadXBlack: GlyphEntry(0xE0A9, "noteheads.s2cross")
    case .noteheadDiamondWhole: GlyphEntry(0xE0D8, "noteheads.s0diamond")
    case .noteheadDiamondHalf: GlyphEntry(0xE0D9, "noteheads.s1diamond")
    case .noteheadDiamondBlack: GlyphEntry(0xE0DB, "noteheads.s2diamond")
    case .noteheadTriangleUpWhole: GlyphEntry(0xE0BB, "noteheads.s0triangle")
    case .noteheadTriangleUpHalf: GlyphEntry(0xE0BC, "noteheads.s1triangle")
    case .noteheadTriangleUpBlack: GlyphEntry(0xE0BE, "noteheads.s2triangle")
    case .noteheadSlashWhiteWhole: GlyphEntry(0xE102, "noteheads.s0slash")
    case .noteheadSlashWhiteHalf: GlyphEntry(0xE103, "noteheads.s1slash")
    case .noteheadSlashHorizontalEnds: GlyphEntry(0xE101, "noteheads.s2slash")
    case .noteheadCircleX: GlyphEntry(0xE0B3, "noteheads.s2xcircle")
    case .augmentationDot: GlyphEntry(0xE1E7, "dots.dot")
    case .flag8thUp: GlyphEntry(0xE240, "flags.u3", .stemUp)
    case .flag16thUp: GlyphEntry(0xE242, "flags.u4", .stemUp)
    case .flag32ndUp: GlyphEntry(0xE244, "flags.u5", .stemUp)
    case .flag64thUp: GlyphEntry(0xE246, "flags.u6", .stemUp)
    case .flag128thUp: GlyphEntry(0xE248, "flags.u7", .stemUp)
    case .flag256thUp: GlyphEntry(0xE24A, "flags.u8", .stemUp)
    case .flag8thDown: GlyphEntry(0xE241, "flags.d3", .stemDown)
    case .flag16thDown: GlyphEntry(0xE243, "flags.d4", .stemDown)
    case .flag32ndDown: GlyphEntry(0xE245, "flags.d5", .stemDown)
    case .flag64thDown: GlyphEntry(0xE247, "flags.d6", .stemDown)
    case .flag128thDown: GlyphEntry(0xE249, "flags.d7", .stemDown)
    case .flag256thDown: GlyphEntry(0xE24B, "flags.d8", .stemDown)
    case .graceNoteSlashStemUp: GlyphEntry(0xE564, "flags.ugrace", .slashUp)
    case .graceNoteSlashStemDown: GlyphEntry(0xE565, "flags.dgrace", .slashDown)
    case .restMaxima: GlyphEntry(0xE4E0, "rests.M3")
    case .restLonga: GlyphEntry(0xE4E1, "rests.M2")
    case .restDoubleWhole: GlyphEntry(0xE4E2, "rests.M1")
    case .restWhole: GlyphEntry(0xE4E3, "rests.0")
    case .restHalf: GlyphEntry(0xE4E4, "rests.1")
    case .restQuarter: GlyphEntry(0xE4E5, "rests.2", .left)
    case .rest8th: GlyphEntry(0xE4E6, "rests.3", .left)
    case .rest16th: GlyphEntry(0xE4E7, "rests.4", .left)
    case .rest32nd: GlyphEntry(0xE4E8, "rests.5", .left)
    case .rest64th: GlyphEntry(0xE4E9, "rests.6", .left)
    case .rest128th: GlyphEntry(0xE4EA, "rests.7", .left)
    case .rest256th: GlyphEntry(0xE4EB, "rests.8", .left)
    case .accidentalFlat: GlyphEntry(0xE260, "accidentals.flat", .left)
    case .accidentalNatural: GlyphEntry(0xE261, "accidentals.natural", .left)
    case .accidentalSharp: GlyphEntry(0xE262, "accidentals.sharp", .left)
    case .accidentalDoubleSharp: GlyphEntry(0xE263, "accidentals.doublesharp", .left)
    case .accidentalDoubleFlat: GlyphEntry(0xE264, "accidentals.flatflat", .left)
    case .accidentalQuarterToneFlatStein: GlyphEntry(0xE280, "accidentals.mirroredflat", .left)
    case .accidentalQuarterToneSharpStein: GlyphEntry(0xE282, "accidentals.sharp.slashslash.stem", .left)
    case .accidentalThreeQuarterTonesFlatZimmermann: GlyphEntry(0xE281, "accidentals.mirroredflat.flat", .left)
    case .accidentalThreeQuarterTonesSharpStein:
      GlyphEntry(0xE283, "accidentals.sharp.slashslash.stemstemstem", .left)
    case .accidentalParensLeft: GlyphEntry(0xE26A, "accidentals.leftparen", .left)
    case .accidentalParensRight: GlyphEntry(0xE26B, "accidentals.rightparen", .left)
    case .timeSig0: GlyphEntry(0xE080, "zero", .middle)
    case .timeSig1: GlyphEntry(0xE081, "one", .middle)
    case .timeSig2: GlyphEntry(0xE082, "two", .middle)
    case .timeSig3: GlyphEntry(0xE083, "three", .middle)
    case .timeSig4: GlyphEntry(0xE084, "four", .middle)
    case .timeSig5: GlyphEntry(0xE085, "five", .middle)
    case .timeSig6: GlyphEntry(0xE086, "six", .middle)
    case .timeSig7: GlyphEntry(0xE087, "seven", .middle)
    case .timeSig8: GlyphEntry(0xE088, "eight", .middle)
    case .timeSig9: GlyphEntry(0xE089, "nine", .middle)
    case .timeSigCommon: GlyphEntry(0xE08A, "timesig.C44", .middle)
    case .timeSigCutCommon: GlyphEntry(0xE08B, "timesig.C22", .middle)
    case .timeSigPlus: GlyphEntry(0xE08C, "plus", .middle)
    case .dynamicPiano: GlyphEntry(0xE520, "p")
    case .dynamicMezzo: GlyphEntry(0xE521, "m")
    case .dynamicForte: GlyphEntry(0xE522, "f")
    case .dynamicRinforzando: GlyphEntry(0xE523, "r")
    case .dynamicSforzando: GlyphEntry(0xE524, "s")
    case .dynamicZ: GlyphEntry(0xE525, "z")
    case .dynamicNiente: GlyphEntry(0xE526, "n")
    case .articAccentAbove: GlyphEntry(0xE4A0, "scripts.sforzato", .bottom)
    case .articAccentBelow: GlyphEntry(0xE4A1, "scripts.sforzato", .top)
    case .articStaccatoAbove: GlyphEntry(0xE4A2, "scripts.staccato", .bottom)
    case .articTenutoAbove: GlyphEntry(0xE4A4, "scripts.tenuto", .bottom)
    case .articStaccatissimoAbove: GlyphEntry(0xE4A6, "scripts.ustaccatissimo", .bottom)
    case .articStaccatissimoBelow: GlyphEntry(0xE4A7, "scripts.dstaccatissimo", .top)
    case .articMarcatoAbove: GlyphEntry(0xE4AC, "scripts.umarcato", .bottom)
    case .articMarcatoBelow: GlyphEntry(0xE4AD, "scripts.dmarcato", .top)
    case .articTenutoStaccatoAbove: GlyphEntry(0xE4B2, "scripts.dportato", .bottom)
    case .articTenutoStaccatoBelow: GlyphEntry(0xE4B3, "scripts.uportato", .top)
    case .fermataAbove: GlyphEntry(0xE4C0, "scripts.ufermata", .bottom)
    case .fermataBelow: GlyphEntry(0xE4C1, "scripts.dfermata", .top)
    case .breathMarkComma: GlyphEntry(0xE4CE, "scripts.rcomma", .bottom)
    case .caesura: GlyphEntry(0xE4D1, "scripts.caesura.straight", .bottom)
    case .stringsUpBow: GlyphEntry(0xE612, "scripts.upbow", .bottom)
    case .stringsDownBow: GlyphEntry(0xE610, "scripts.downbow", .bottom)
    case .segno: GlyphEntry(0xE047, "scripts.segno", .bottom)
    case .coda: GlyphEntry(0xE048, "scripts.coda", .bottom)
    case .brace: GlyphEntry(0xE000, nil, .bottom)
    case .ornamentTrill: GlyphEntry(0xE566, "scripts.trill", .bottom)
    case .ornamentTurn: GlyphEntry(0xE567, "scripts.turn", .bottom)
    case .ornamentTurnInverted: GlyphEntry(0xE568, "scripts.reverseturn", .bottom)
    case .ornamentMordent: GlyphEntry(0xE56D, "scripts.mordent", .bottom)
    case .ornamentShortTrill: GlyphEntry(0xE56C, "scripts.prall", .bottom)
    case .harmonicOpen: GlyphEntry(0xE614, "scripts.flageolet", .bottom)
    case .snapPizzicatoAbove: GlyphEntry(0xE631, "scripts.snappizzicato", .bottom)
    case .stopped: GlyphEntry(0xE5E5, "scripts.stopped", .bottom)
    }
  }

  /// Note heads that can have a stem, with the height at which a stem up joins the right side of the head: 1 at its top, -1 at its
  /// bottom. For fonts that do not say it.
  static let stemHeights: [MusicFont.Glyph: Double] = [
    .noteheadHalf: 0.33, .noteheadBlack: 0.33, .noteheadXHalf: 0.85, .noteheadXBlack: 0.85, .noteheadDiamondHalf: 0,
    .noteheadDiamondBlack: 0, .noteheadTriangleUpHalf: -0.9, .noteheadTriangleUpBlack: -0.9,
    .noteheadSlashWhiteHalf: 1, .noteheadSlashHorizontalEnds: 1, .noteheadCircleX: 0,
  ]

  /// Without these, a font is no music font.
  static let required: [MusicFont.Glyph] = [
    .gClef, .fClef, .noteheadWhole, .noteheadHalf, .noteheadBlack, .flag8thUp, .flag8thDown, .restWhole, .restQuarter,
    .accidentalSharp, .accidentalFlat, .accidentalNatural, .augmentationDot, .timeSig3, .timeSig4,
  ]
}

extension Outline {
  func moved(_ x: Double, _ y: Double) -> Outline {
    let distance = Point(x, y)
    let moved = segments.map { segment -> Segment in
      switch segment {
      case .move(let to): .move(to + distance)
      case .line(let to): .line(to + distance)
      case .curve(let first, let second, let to): .curve(first + distance, second + distance, to + distance)
      case .close: .close
      }
    }
    return Outline(segments: moved, box: box.moved(by: distance), advance: advance + x)
  }

  /// The outline with its origin at the place that the table says. The stem of a flag begins `stem` from the font's origin, by default
  /// at the left edge of the box and at its end.
  func registered(_ origin: GlyphEntry.Origin, stem: Point?) -> Outline {
    switch origin {
    case .font: self
    case .left: moved(-box.left, 0)
    case .bottom: moved(-box.left, -box.bottom)
    case .top: moved(-box.left, -box.top)
    case .middle: moved(-box.left, -(box.top + box.bottom) / 2)
    case .stemUp: moved(-(stem?.x ?? box.left), -(stem?.y ?? box.top))
    case .stemDown: moved(-(stem?.x ?? box.left), -(stem?.y ?? box.bottom))
    // SMuFL 1.4, "glyphsWithAnchors": the corner of the slash relative to the flag's origin, here that of Bravura if the font says none.
    case .slashUp: moved((stem?.x ?? -0.64) - box.left, (stem?.y ?? 2.5) - box.bottom)
    case .slashDown: moved((stem?.x ?? -0.6) - box.left, (stem?.y ?? -2.3) - box.top)
    }
  }
}
