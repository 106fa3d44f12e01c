public import Engraving
import Foundation

extension MusicFont {
  /// A font with the layout of SMuFL, such as Bravura or Leland. The staff space is a quarter of the em.
  ///
  /// The thicknesses of lines and the places of stems come from the metadata file that belongs to the font, if it lies beside the font:
  /// `bravura_metadata.json` for `Bravura.otf`, or `metadata.json`. Otherwise they follow from the boxes.
  ///
  /// - Throws: ``FontFault`` if the file is no music font, or its metadata is no JSON.
  public static func smufl(path: String) throws(FontFault) -> MusicFont {
    let face = try FontFace(path: path)
    let metadata = try SMuFLMetadata.beside(path)
    let space = face.unitsPerEm / 4
    var outlines: [Glyph: Outline] = [:]
    for glyph in Glyph.allCases {
      let entry = GlyphEntry.of(glyph)
      guard let index = face.glyph(entry.code), let outline = face.outline(index, scale: space) else { continue }
      outlines[glyph] = outline.registered(entry.origin, stem: metadata?.stem(glyph, entry.origin))
    }
    outlines[.brace] = outlines[.brace].flatMap { $0.box.height > 0 ? $0.scaled(1 / $0.box.height) : nil }
    try check(outlines, path)
    var (up, down) = ([Glyph: Point](), [Glyph: Point]())
    for (glyph, height) in GlyphEntry.stemHeights {
      guard let box = outlines[glyph]?.box else { continue }
      up[glyph] = metadata?.anchor("\(glyph)", "stemUpSE") ?? Point(box.right, height * box.top)
      down[glyph] = metadata?.anchor("\(glyph)", "stemDownNW") ?? Point(box.left, height * box.bottom)
    }
    // Without metadata, the thicknesses of Bravura.
    return MusicFont(
      outlines: outlines, staffLineThickness: metadata?.thickness("staffLineThickness") ?? 0.13,
      stemThickness: metadata?.thickness("stemThickness") ?? 0.12,
      beamThickness: metadata?.thickness("beamThickness") ?? 0.5, stemUp: up, stemDown: down)
  }
}

/// The metadata of a SMuFL font. Source: SMuFL 1.4, "Metadata for SMuFL-compliant fonts".
private struct SMuFLMetadata {
  private let defaults: [String: Any]
  private let anchors: [String: Any]
  /// The largest file in octets.
  private static let maximumFile = 16 << 20

  /// The metadata of the font at `path`; nil if there is none.
  ///
  /// - Throws: ``FontFault`` if the file is no JSON.
  static func beside(_ path: String) throws(FontFault) -> SMuFLMetadata? {
    let font = URL(fileURLWithPath: path)
    let (folder, name) = (font.deletingLastPathComponent(), font.deletingPathExtension().lastPathComponent)
    let names = ["\(name.lowercased())_metadata.json", "\(name)_metadata.json", "metadata.json", "\(name).json"]
    let files = names.map { folder.appendingPathComponent($0).path }
    guard let file = files.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return nil }
    let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
    guard let size, size.intValue <= maximumFile, let data = FileManager.default.contents(atPath: file),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else {
      throw FontFault(
        "font metadata \(file)", "is no JSON object of at most \(maximumFile) octets",
        "take the file of the font's publisher, or remove it")
    }
    return SMuFLMetadata(
      defaults: object["engravingDefaults"] as? [String: Any] ?? [:],
      anchors: object["glyphsWithAnchors"] as? [String: Any] ?? [:])
  }

  /// A thickness in staff spaces; nil if the file has none that can be used.
  func thickness(_ name: String) -> Double? {
    (defaults[name] as? NSNumber)?.doubleValue.range(0.01, 2)
  }

  /// A point of a glyph, y downwards.
  func anchor(_ glyph: String, _ name: String) -> Point? {
    guard let pair = (anchors[glyph] as? [String: Any])?[name] as? [NSNumber], pair.count == 2,
      let x = pair[0].doubleValue.range(-20, 20), let y = pair[1].doubleValue.range(-20, 20)
    else { return nil }
    return Point(x, -y)
  }

  /// The place of the stem at a flag, or of the corner of a slash relative to the end of the stem.
  func stem(_ glyph: MusicFont.Glyph, _ origin: GlyphEntry.Origin) -> Point? {
    switch origin {
    case .stemUp: anchor("\(glyph)", "stemUpNW")
    case .stemDown: anchor("\(glyph)", "stemDownSW")
    case .slashUp: corner("flag8thUp", "graceNoteSlashSW", "stemUpNW")
    case .slashDown: corner("flag8thDown", "graceNoteSlashNW", "stemDownSW")
    default: nil
    }
  }

  private func corner(_ flag: String, _ slash: String, _ stem: String) -> Point? {
    guard let slash = anchor(flag, slash), let stem = anchor(flag, stem) else { return nil }
    return Point(slash.x - stem.x, slash.y - stem.y)
  }
}

extension Double {
  /// The number if it is between two others, otherwise nil.
  fileprivate func range(_ least: Double, _ most: Double) -> Double? { self >= least && self <= most ? self : nil }
}
