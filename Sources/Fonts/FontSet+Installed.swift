public import Engraving
import Foundation

extension FontSet {
  /// The fonts of this machine: a music font, and C059 for words.
  ///
  /// - Parameter musicFont: the path of a SMuFL font; nil for Emmentaler.
  /// - Throws: ``FontFault`` if a font is not installed or cannot be used.
  public static func installed(musicFont: String? = nil) throws(FontFault) -> FontSet {
    let music: MusicFont
    if let musicFont { music = try .smufl(path: musicFont) } else { music = try .emmentaler() }
    var faces: [TextStyle.Face: TextFont] = [:]
    for face in TextStyle.Face.allCases { faces[face] = try TextFont(face: face) }
    return FontSet(music: music, faces: faces)
  }
}

extension TextFont {
  /// C059, a Century Schoolbook, the usual face of printed music.
  ///
  /// - Throws: ``FontFault`` if the font is not installed or damaged.
  init(face style: TextStyle.Face) throws(FontFault) {
    let font = try FontFace(path: Self.path(of: style))
    // The extent of the ink of all letters, digits and signs of ASCII. The font's own ascent includes space between lines.
    let boxes = (33...126).compactMap { font.glyph($0).flatMap { font.outline($0, scale: font.unitsPerEm)?.box } }
    self.init(
      widths: font.widths, ascent: -(boxes.map(\.top).min() ?? -0.75), descent: boxes.map(\.bottom).max() ?? 0.25)
  }

  /// The path of the OpenType file of a face of C059.
  ///
  /// - Throws: ``FontFault`` if the font is not installed.
  public static func path(of style: TextStyle.Face) throws(FontFault) -> String {
    let file =
      switch style {
      case .roman: "C059-Roman.otf"
      case .italic: "C059-Italic.otf"
      case .bold: "C059-Bold.otf"
      case .boldItalic: "C059-BdIta.otf"
      }
    // The folders of Debian, of Fedora and of fonts that an administrator has installed.
    let folders = ["/usr/share/fonts/opentype/urw-base35", "/usr/share/fonts/urw-base35", "/usr/local/share/fonts"]
    guard let path = folders.map({ "\($0)/\(file)" }).first(where: { FileManager.default.fileExists(atPath: $0) })
    else {
      throw FontFault("text font \(file)", "is not installed", "install the package fonts-urw-base35")
    }
    return path
  }
}
