public import Scores

/// An engraved part as pages for print, each an SVG document.
public struct SVGPages: Sendable {
  public let pages: [[UInt8]]

  /// The measures of a page in millimetres.
  public struct Paper: Sendable, Hashable {
    public var width: Double
    public var height: Double
    /// The empty space at the sides, above the music and below the page number.
    public var margin: Double
    /// The length of a staff space.
    public var space: Double

    /// A page with the proportions of A4 (ISO 216), staves 7 mm high, and margins of a sixteenth of its width.
    public init(width: Double = 210) {
      (self.width, height, margin, space) = (width, width * 297 / 210, width / 16, 1.75)
    }

    /// The width of the music in staff spaces.
    public var musicWidth: Double { (width - 2 * margin) / space }
  }

  private static let gap = 2.5
  /// The height of the foot with the page number, in staff spaces.
  private static let foot = 3.0

  /// Creates the pages of a part that was engraved with ``Paper/musicWidth``.
  ///
  /// The systems of a page fill it from top to bottom, unless it is less than three quarters full. A page with a system that is higher than
  /// the page is made smaller.
  public init(_ part: EngravedPart, of score: Score, fonts: FontSet, name: String, paper: Paper) {
    let (margin, space) = (paper.margin / paper.space, paper.space)
    let height = max(1, (paper.height / space) - 2 * margin - Self.foot)
    let heights = part.systems.map { $0.bottom - $0.top }
    let breaks = PageBreaks(heights: heights, header: part.headerHeight, page: height, gap: Self.gap)
    pages = breaks.pages.enumerated().map { index, systems in
      var writer = SVGSystem(score)
      var y = 0.0
      if index == 0 {
        writer.add(header: part.header)
        y = part.headerHeight
      }
      let rest = height - y - systems.reduce(-Self.gap) { $0 + heights[$1] + Self.gap }
      let spread = systems.count > 1 && rest > 0 && rest < height / 4 ? rest / Double(systems.count - 1) : 0
      for system in systems {
        y -= part.systems[system].top
        writer.add(part.systems[system], at: Point(0, y))
        y += part.systems[system].bottom + Self.gap + spread
      }
      // The viewBox of a page that is too high is larger than the paper in both directions.
      let factor = rest < 0 ? (height - rest) / height : 1
      let box = Box(
        left: -margin, top: -margin, right: part.width + margin + (factor - 1) * (part.width + 2 * margin),
        bottom: factor * (height + 2 * margin + Self.foot) - margin)
      if breaks.pages.count > 1 {
        writer.add(header: [
          Self.pageNumber(index + 1, fonts, middle: (box.left + box.right) / 2, bottom: box.bottom - margin)
        ])
      }
      return SVGDocument.document(
        writer, viewBox: box, font: fonts.music, name: "\(name), page \(index + 1)", size: (paper.width, paper.height))
    }
  }

  private static func pageNumber(_ number: Int, _ fonts: FontSet, middle: Double, bottom: Double) -> Element {
    let (text, size) = ("\(number)", 2.2)
    let widths = fonts.faces[.roman]?.widths ?? [:]
    let width = text.unicodeScalars.reduce(0) { $0 + size * (widths[$1] ?? 0.55) }
    return Element(
      .title, shapes: [.text(text, at: Point(middle - width / 2, bottom), TextStyle(.roman, size: size), width: width)])
  }
}
