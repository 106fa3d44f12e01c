public import Scores

/// An engraved part as one SVG document with all systems, one below the other.
///
/// Units are tenths of a staff space. The drawing has only the colour of the text around it (`currentColor`) and no style sheets, because
/// the page forbids them. Groups within groups are what a screen reader says and what a cursor needs:
///
/// - a system (`class="system"`) has its first and last bar as indices (`data-bars="8-11"`), its extent from top to bottom (`data-y="120 230"`),
///   the x at which its last bar ends (`data-right`), and the y of the top line of each staff below its own origin (`data-staves="0 90"`);
/// - a bar has its id (`b12`), its index (`data-bar`), the x of its beginning (`data-x`), and the words "Bar 12". It ends where the next one
///   begins. Each bar of a multi-bar rest has a group, and the first of them contains the drawing;
/// - an onset has its position in quarter notes (`data-offset="3/2"`), the words "beat 2 1/2", and is moved to its x, where the cursor
///   stands;
/// - a note, rest or chord symbol has its id (`n123`, `r124`, `c125`), once in the document, and its words.
public struct SVGDocument: Sendable {
  public let octets: [UInt8]
  /// Staff spaces.
  public let width: Double
  public let height: Double

  /// The empty space around the drawing, and between two systems, in staff spaces.
  public static let margin = 1.0
  private static let gap = 2.5

  /// The width of the music in staff spaces of a document that is `width` millimetres wide.
  public static func musicWidth(millimetres width: Double, spaceMillimetres: Double = 1.75) -> Double {
    width / spaceMillimetres - 2 * margin
  }

  /// Creates the document.
  ///
  /// - Parameters:
  ///   - name: the words that a screen reader says before the first bar.
  ///   - spaceMillimetres: the length of a staff space on paper, for the size of the document.
  public init(_ part: EngravedPart, of score: Score, font: MusicFont, name: String, spaceMillimetres: Double = 1.75) {
    var writer = SVGSystem(score)
    writer.add(header: part.header)
    var y = part.headerHeight
    for system in part.systems {
      y -= system.top
      writer.add(system, at: Point(0, y))
      y += system.bottom + Self.gap
    }
    (width, height) = (part.width, max(0, y - (part.systems.isEmpty ? 0 : Self.gap)))
    let box = Box(
      left: -Self.margin, top: -Self.margin, right: width + Self.margin, bottom: height + Self.margin)
    octets = Self.document(
      writer, viewBox: box, font: font, name: name,
      size: (box.width * spaceMillimetres, box.height * spaceMillimetres))
  }

  /// A document around what `writer` has written. `size` is in millimetres.
  static func document(
    _ writer: SVGSystem, viewBox: Box, font: MusicFont, name: String, size: (width: Double, height: Double)
  ) -> [UInt8] {
    var buffer = SVGBuffer()
    buffer.reserve(writer.buffer.octets.count + 1 << 14)
    buffer.add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"")
    for (index, value) in [viewBox.left, viewBox.top, viewBox.width, viewBox.height].enumerated() {
      if index > 0 { buffer.add(" ") }
      buffer.add(space: value)
    }
    buffer.add("\" width=\"")
    buffer.add(number: size.width)
    buffer.add("mm\" height=\"")
    buffer.add(number: size.height)
    buffer.add("mm\" fill=\"currentColor\" font-family=\"C059,'Century Schoolbook','New Century Schoolbook',serif\"")
    buffer.add(" role=\"group\"")
    buffer.add(attribute: "aria-label", name)
    buffer.add(">\n<defs>")
    for glyph in MusicFont.Glyph.allCases where writer.glyphs.contains(glyph) {
      guard let outline = font.outlines[glyph] else { continue }
      buffer.add("<path id=\"g\(glyph.rawValue)\" d=\"")
      buffer.add(outline)
      buffer.add("\"/>")
    }
    buffer.add("</defs>\n")
    buffer.add(writer.buffer)
    buffer.add("</svg>\n")
    return buffer.octets
  }
}
