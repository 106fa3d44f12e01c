import Scores

/// The sizes of glyphs and texts, in arrays because layout asks for them often.
struct Metrics {
  let music: MusicFont
  private let boxes: [Box]
  private let advances: [Double]
  private let fonts: [TextFont?]
  /// The widths of the ASCII characters of each face.
  private let ascii: [[Double]]

  init(_ fonts: FontSet) {
    music = fonts.music
    boxes = MusicFont.Glyph.allCases.map { fonts.music.box($0) }
    advances = MusicFont.Glyph.allCases.map { fonts.music.outlines[$0]?.advance ?? 0 }
    self.fonts = TextStyle.Face.allCases.map { fonts.faces[$0] }
    ascii = TextStyle.Face.allCases.map { face in
      (0..<128).map { Self.width(of: Unicode.Scalar(UInt8($0)), fonts.faces[face]) }
    }
  }

  private static func width(of scalar: Unicode.Scalar, _ font: TextFont?) -> Double {
    if let width = font?.widths[scalar] { return width }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format: return 0
    default: break
    }
    // East Asian scalars are as wide as they are high.
    return (0x1100..<0x1160).contains(scalar.value) || (0x2E80..<0xD7B0).contains(scalar.value)
      || (0xF900..<0xFB00).contains(scalar.value) || (0xFF00..<0xFF61).contains(scalar.value)
      || scalar.value >= 0x1F000 ? 1 : 0.6
  }

  func box(_ glyph: MusicFont.Glyph) -> Box { boxes[Int(glyph.rawValue)] }

  func box(_ glyph: MusicFont.Glyph, scale: Double, at point: Point = Point(0, 0)) -> Box {
    let box = boxes[Int(glyph.rawValue)]
    return Box(
      left: point.x + box.left * scale, top: point.y + box.top * scale, right: point.x + box.right * scale,
      bottom: point.y + box.bottom * scale)
  }

  func advance(_ glyph: MusicFont.Glyph) -> Double { advances[Int(glyph.rawValue)] }

  func has(_ glyph: MusicFont.Glyph) -> Bool { music.outlines[glyph] != nil }

  /// The width of a text in staff spaces.
  func width(_ text: String, _ style: TextStyle) -> Double {
    var width = 0.0
    let face = Int(style.face.rawValue)
    for scalar in text.unicodeScalars {
      width += scalar.value < 128 ? ascii[face][Int(scalar.value)] : Self.width(of: scalar, fonts[face])
    }
    return width * style.size
  }

  func ascent(_ style: TextStyle) -> Double { (fonts[Int(style.face.rawValue)]?.ascent ?? 0.75) * style.size }
  func descent(_ style: TextStyle) -> Double { (fonts[Int(style.face.rawValue)]?.descent ?? 0.25) * style.size }

  // MARK: Heads and flags

  func head(_ note: NotatedNote, halvings: Int) -> MusicFont.Glyph? {
    let kind = halvings <= 0 ? 0 : halvings == 1 ? 1 : 2
    let glyphs: [MusicFont.Glyph]
    switch note.head {
    case .none: return nil
    case .normal, .square:
      if halvings < 0 { return .noteheadDoubleWhole }
      glyphs = [.noteheadWhole, .noteheadHalf, .noteheadBlack]
    case .cross: glyphs = [.noteheadXWhole, .noteheadXHalf, .noteheadXBlack]
    case .diamond: glyphs = [.noteheadDiamondWhole, .noteheadDiamondHalf, .noteheadDiamondBlack]
    case .triangle: glyphs = [.noteheadTriangleUpWhole, .noteheadTriangleUpHalf, .noteheadTriangleUpBlack]
    case .slash: glyphs = [.noteheadSlashWhiteWhole, .noteheadSlashWhiteHalf, .noteheadSlashHorizontalEnds]
    case .circleCross: glyphs = [.noteheadCircleX, .noteheadCircleX, .noteheadCircleX]
    }
    // A font without a form has the usual heads at least.
    if has(glyphs[kind]) { return glyphs[kind] }
    return [.noteheadWhole, .noteheadHalf, .noteheadBlack][kind]
  }

  static func rest(halvings: Int) -> MusicFont.Glyph {
    let glyphs: [MusicFont.Glyph] = [
      .restMaxima, .restLonga, .restDoubleWhole, .restWhole, .restHalf, .restQuarter, .rest8th, .rest16th, .rest32nd,
      .rest64th, .rest128th, .rest256th,
    ]
    return glyphs[min(max(halvings + 3, 0), glyphs.count - 1)]
  }

  static func flag(count: Int, up: Bool) -> MusicFont.Glyph? {
    let ups: [MusicFont.Glyph] = [.flag8thUp, .flag16thUp, .flag32ndUp, .flag64thUp, .flag128thUp, .flag256thUp]
    let downs: [MusicFont.Glyph] = [
      .flag8thDown, .flag16thDown, .flag32ndDown, .flag64thDown, .flag128thDown, .flag256thDown,
    ]
    return count > 0 ? (up ? ups : downs)[min(count, 6) - 1] : nil
  }

  /// The small form of a clef, and the scale at which it is drawn.
  func changeClef(_ clef: Clef) -> (glyph: MusicFont.Glyph, place: Int, scale: Double)? {
    guard let small = clef.glyph(isChange: true), let large = clef.glyph(isChange: false) else { return nil }
    let isOwn = has(small.glyph) && small.glyph != large.glyph
    return isOwn ? (small.glyph, small.place, 1) : (large.glyph, large.place, 0.8)
  }
}
