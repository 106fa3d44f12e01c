public import Engraving
import Foundation

extension MusicFont {
  /// Emmentaler, LilyPond's music font, in its size for a staff of 20 points. The newest version that is installed.
  ///
  /// Its staff space is a quarter of the em. Its table `LILC` contains where a stem joins each note head. Braces are in a font of their
  /// own, with one glyph for each height.
  ///
  /// - Throws: ``FontFault`` if the font is not installed or damaged.
  public static func emmentaler() throws(FontFault) -> MusicFont {
    guard let path = newest("emmentaler-20.otf") else {
      throw FontFault(
        "music font Emmentaler", "is not installed",
        "install the package lilypond-fonts, or give a SMuFL font with --music-font")
    }
    let face = try FontFace(path: path)
    let space = face.unitsPerEm / 4
    var outlines: [Glyph: Outline] = [:]
    for glyph in Glyph.allCases {
      let entry = GlyphEntry.of(glyph)
      guard let name = entry.name, let index = face.glyph(named: name) else { continue }
      let outline = face.outline(index, scale: space)
      // The slash has the origin of the flag: the middle of the stem. All other origins follow from the box.
      let corner = outline.map { outline in
        switch entry.origin {
        case .slashUp: Point(outline.box.left + halfStem, outline.box.bottom)
        case .slashDown: Point(outline.box.left + halfStem, outline.box.top)
        default: Point(-halfStem, 0)
        }
      }
      outlines[glyph] = outline?.registered(entry.origin, stem: corner)
    }
    outlines[.brace] = newest("emmentaler-brace.otf").flatMap(brace)
    try check(outlines, path)
    let attachments = Attachments(octets: face.table("LILC") ?? [])
    var (up, down) = ([Glyph: Point](), [Glyph: Point]())
    for (glyph, height) in GlyphEntry.stemHeights {
      guard let box = outlines[glyph]?.box else { continue }
      let name = GlyphEntry.of(glyph).name ?? ""
      up[glyph] = attachments.up[name] ?? Point(box.right, height * box.top)
      down[glyph] = attachments.down[name] ?? Point(box.left, height * box.bottom)
    }
    // Thicknesses: LilyPond 2.24, Internals Reference: a staff line is a tenth of a space, a stem 1.3 lines, a beam 0.48 spaces.
    return MusicFont(
      outlines: outlines, staffLineThickness: 0.1, stemThickness: 2 * halfStem, beamThickness: 0.48, stemUp: up,
      stemDown: down)
  }

  /// Half of the thickness of a stem in staff spaces.
  private static var halfStem: Double { 0.065 }

  /// The path of a font file of the newest LilyPond.
  private static func newest(_ file: String) -> String? {
    let paths = ["/usr/share/lilypond", "/usr/local/share/lilypond"].flatMap { root in
      ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).map { (version: $0, root: root) }
    }
    return
      paths.sorted { version($1.version).lexicographicallyPrecedes(version($0.version)) }
      .map { "\($0.root)/\($0.version)/fonts/otf/\(file)" }.first { FileManager.default.fileExists(atPath: $0) }
  }

  private static func version(_ text: String) -> [Int] { text.split(separator: ".").map { Int($0) ?? 0 } }

  /// The brace for a piano system, about 12 spaces high, scaled to the height of 1 space.
  private static func brace(_ path: String) -> Outline? {
    guard let face = try? FontFace(path: path) else { return nil }
    var nearest: Outline?
    // The heights grow with the number; 576 braces exist. Every tenth is close enough.
    for number in stride(from: 100, through: 240, by: 10) {
      guard let index = face.glyph(named: "brace\(number)"),
        let outline = face.outline(index, scale: face.unitsPerEm / 4), outline.box.height > 0
      else { continue }
      if abs(outline.box.height - 12) < abs((nearest?.box.height ?? 0) - 12) { nearest = outline }
    }
    return nearest.map { $0.scaled(1 / $0.box.height).registered(.bottom, stem: nil) }
  }

  /// - Throws: ``FontFault`` if a glyph is missing without which nothing can be engraved.
  static func check(_ outlines: [Glyph: Outline], _ path: String) throws(FontFault) {
    guard let missing = GlyphEntry.required.first(where: { outlines[$0] == nil }) else { return }
    throw FontFault(
      "font \(path)", "has no \(missing), so it is no music font", "give a SMuFL font, such as Bravura.otf")
  }

  /// The glyphs that the font lacks, by name. They are not drawn.
  public var missing: [Glyph] { Glyph.allCases.filter { outlines[$0] == nil } }
}

extension Outline {
  func scaled(_ factor: Double) -> Outline {
    func scaled(_ point: Point) -> Point { Point(point.x * factor, point.y * factor) }
    let segments = segments.map { segment -> Segment in
      switch segment {
      case .move(let to): .move(scaled(to))
      case .line(let to): .line(scaled(to))
      case .curve(let first, let second, let to): .curve(scaled(first), scaled(second), scaled(to))
      case .close: .close
      }
    }
    return Outline(
      segments: segments,
      box: Box(
        left: box.left * factor, top: box.top * factor, right: box.right * factor, bottom: box.bottom * factor),
      advance: advance * factor)
  }
}

/// The table `LILC` of a LilyPond font: an association list in Scheme with the attachment of stems for each glyph, five units to a staff
/// space. Each pair has a line of its own:
///
///     (noteheads.s2 .
///     ((bbox . (-0.000000 -2.725020 6.521060 2.725020))
///     (attachment . (6.521060 . 0.930530))
///     (attachment-down . (0.000000 . -0.930530))))
private struct Attachments {
  private(set) var up: [String: Point] = [:]
  private(set) var down: [String: Point] = [:]

  init(octets: [UInt8]) {
    var name = ""
    for line in octets.split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split { " ()".contains($0) }
      guard let first = words.first else { continue }
      switch first {
      case "attachment": up[name] = Self.point(words)
      case "attachment-down": down[name] = Self.point(words)
      case "bbox", "subfont": break
      default: name = String(first)
      }
    }
  }

  private static func point(_ words: [Substring]) -> Point? {
    // The words are `attachment`, `.`, x, `.`, y.
    guard words.count == 5, let x = Double(words[2]), let y = Double(words[4]), abs(x) < 100, abs(y) < 100 else {
      return nil
    }
    return Point(x / 5, -y / 5)
  }
}
