import Engraving
import Fonts
import Scores
import Testing

@Suite struct SVGTests {
  private let fonts: FontSet
  private var score = Score()

  init() throws {
    fonts = try FontSet.installed()
    score.bars = [
      Bar(number: "0", length: Fraction(1), metre: Metre([Metre.Group(beats: [3], unit: 4)])),
      Bar(number: "1", length: Fraction(3)), Bar(number: "2", length: Fraction(3)),
    ]
    score.bars[0].isImplicit = true
    score.assignIdentifiers()
  }

  private func system(bars: Range<Int> = 0..<2, _ elements: [Element], height: Double = 8) -> System {
    let measures = bars.map { bar in
      System.Measure(
        bars: bar..<(bar + 1), left: Double(bar) * 20, right: Double(bar) * 20 + 20,
        onsets: [(bar, .zero, Double(bar) * 20 + 3.456), (bar, Fraction(3, 2) ?? .zero, Double(bar) * 20 + 10)])
    }
    return System(measures: measures, elements: elements, staves: [0], top: -2, bottom: height - 2)
  }

  private func part(_ systems: [System], header: [Element] = []) -> EngravedPart {
    EngravedPart(width: 60, header: header, headerHeight: header.isEmpty ? 0 : 6, systems: systems, missing: [])
  }

  private func svg(_ systems: [System], header: [Element] = [], name: String = "Flute") -> String {
    let document = SVGDocument(part(systems, header: header), of: score, font: fonts.music, name: name)
    return String(decoding: document.octets, as: UTF8.self)
  }

  private func note(_ id: UInt32, bar: Int, _ offset: Fraction, x: Double, _ label: String = "C 5, quarter") -> Element
  {
    Element(
      .note, id: id, bar: bar, offset: offset, label: label,
      shapes: [.glyph(.noteheadBlack, at: Point(x, 1.5), scale: 1)])
  }

  @Test func `a note has its id and its words, and stands in the groups of its bar and beat`() {
    let text = svg([system([note(7, bar: 1, Fraction(3, 2) ?? .zero, x: 30.126)])])
    let expected =
      "<g role=\"group\" data-offset=\"3/2\" aria-label=\"beat 2 1/2\" transform=\"translate(300)\">"
      + "<use class=\"note\" role=\"img\" href=\"#g\(MusicFont.Glyph.noteheadBlack.rawValue)\" x=\"1.3\" y=\"15\" "
      + "aria-label=\"C 5, quarter\" id=\"n7\"/></g>"
    #expect(text.contains(expected))
  }

  @Test func `a pick-up counts from the end of its bar`() throws {
    let text = svg([system([note(7, bar: 0, .zero, x: 5)])])
    let bar = try #require(text.components(separatedBy: "aria-label=\"Bar 0\"").last)
    #expect(bar.contains("data-offset=\"0\" aria-label=\"beat 3\""))
  }

  @Test func `a glyph is defined once and only if it is used`() {
    let text = svg([system([note(1, bar: 0, .zero, x: 5), note(2, bar: 1, .zero, x: 25)])])
    #expect(text.split(separator: "<path id=").count == 2)
    #expect(text.split(separator: "<use ").count == 3)
  }

  @Test func `bars and systems have their ids and places, and notes stand in the order of time`() throws {
    let text = svg([system([note(5, bar: 1, Fraction(3, 2) ?? .zero, x: 30), note(4, bar: 1, .zero, x: 25)])])
    #expect(text.contains("<g role=\"group\" id=\"b2\" aria-label=\"Bar 1\" data-bar=\"1\" data-x=\"200\">"))
    let (first, second) = (text.range(of: "n4\""), text.range(of: "n5\""))
    #expect(try #require(first).lowerBound < #require(second).lowerBound)
    let system =
      "<g class=\"system\" data-bars=\"0-1\" data-right=\"400\" data-y=\"0 80\" data-staves=\"0\" transform=\"translate(0 20)\">"
    #expect(text.contains(system))
  }

  @Test func `a stem stays at its head and in its beam when its onset is rounded`() throws {
    func stem(_ x: Double, _ top: Double) -> Element {
      Element(.stem, bar: 1, shapes: [.line(from: Point(x, 1.31), to: Point(x, top), thickness: 0.13, dash: 0)])
    }
    // The onsets are at 23.456 and 30.
    let beam = Shape.polygon([Point(24.691, -2), Point(31.235, -1.8), Point(31.235, -1.3), Point(24.691, -1.5)])
    let elements = [stem(24.691, -1.96), stem(31.235, -1.76), Element(.beam, bar: 1, shapes: [beam])]
    let text = svg([system(elements)])
    // 234.56 is rounded to 235, and the beam is 65 and not 65.4 long, as the distance of the onsets. The stems end 0.06 spaces deeper.
    #expect(
      text.contains("translate(235)\"><path stroke=\"currentColor\" stroke-width=\"1.3\" d=\"M12.4 13.1v-32.1\"/>"))
    #expect(text.contains("<path d=\"M12.4-20l65 2v5l-65-2z\"/>"))
    #expect(
      text.contains("translate(300)\"><path stroke=\"currentColor\" stroke-width=\"1.3\" d=\"M12.4 13.1v-30.1\"/>"))
  }

  @Test func `lines without words become one path for each role`() {
    let lines = (0..<5).map {
      Shape.line(from: Point(0, Double($0)), to: Point(60, Double($0)), thickness: 0.1, dash: 0)
    }
    let text = svg([system([Element(.staff, shapes: lines)])])
    #expect(
      text.contains(
        "<path class=\"staff\" stroke=\"currentColor\" stroke-width=\"1\" d=\"M0 0h600M0 10h600M0 20h600M0 30h600M0 40h600\"/>"
      ))
  }

  @Test func `text is escaped, and control characters are left out`() {
    let style = TextStyle(.italic, size: 2)
    let words = Element(
      .words, bar: 0, shapes: [.text("a<b>&\"\u{1}\u{202E}\n\u{FFFF}c", at: Point(1, -1), style, width: 9)])
    let text = svg([system([words])], name: "\"Flute\" & <Oboe>")
    #expect(
      text.contains(
        "<text class=\"words\" x=\"-25\" y=\"-10\" font-size=\"20\" font-style=\"italic\" textLength=\"90\" "
          + "lengthAdjust=\"spacingAndGlyphs\">a&lt;b&gt;&amp;&quot; c</text>"))
    #expect(text.contains("aria-label=\"&quot;Flute&quot; &amp; &lt;Oboe&gt;\""))
  }

  @Test func `text in Hebrew begins at its right edge`() {
    let words = Element(
      .lyric, bar: 0, shapes: [.text("שלום", at: Point(1, 9), TextStyle(.roman, size: 2), width: 5)])
    #expect(svg([system([words])]).contains("x=\"25.4\" y=\"90\" font-size=\"20\" direction=\"rtl\""))
  }

  @Test func `numbers that are not finite are written as numbers`() {
    let shape = Shape.polygon([Point(.nan, .infinity), Point(-.infinity, 0.004), Point(0.25, -0.04)])
    let text = svg([system([Element(.beam, shapes: [shape])])])
    #expect(text.contains("d=\"M0 100000000l-100000000-100000000l100000002.5-.4z\""))
  }

  @Test func `the document has only the colour of the text and no styles`() {
    let slur = Shape.slur(from: Point(1, 0), Point(2, -2), Point(8, -2), to: Point(9, 0), thickness: 0.2)
    let elements = [
      Element(.slur, shapes: [slur]),
      Element(.rehearsal, shapes: [.frame(Box(left: 0, top: -4, right: 3, bottom: -1), thickness: 0.16)]),
      Element(.hairpin, shapes: [.line(from: Point(1, 1), to: Point(9, 2), thickness: 0.1, dash: 0.5)]),
      note(1, bar: 0, .zero, x: 5),
    ]
    let text = svg([system(elements)])
    #expect(!text.contains("style=") && !text.contains("<style") && !text.contains("#000") && !text.contains("black"))
    for name in ["fill", "stroke"] {
      for value in text.components(of: " \(name)=\"") { #expect(value == "currentColor" || value == "none") }
    }
  }

  @Test func `a part without systems is a document`() {
    #expect(svg([]).hasSuffix("</svg>\n"))
    let pages = SVGPages(part([]), of: score, fonts: fonts, name: "", paper: SVGPages.Paper())
    #expect(pages.pages.isEmpty)
  }

  @Test func `systems are distributed over pages, each of them once`() {
    let systems = (0..<10).map { _ in system(bars: 0..<0, [note(3, bar: 1, .zero, x: 1)], height: 20) }
    let pages = SVGPages(part(systems), of: score, fonts: fonts, name: "Flute", paper: SVGPages.Paper()).pages
    let counts = pages.map { String(decoding: $0, as: UTF8.self).split(separator: "class=\"system\"").count - 1 }
    #expect(counts.reduce(0, +) == 10)
    #expect(counts.count == 2 && counts.allSatisfy { $0 <= 6 })
    #expect(pages.allSatisfy { String(decoding: $0, as: UTF8.self).contains("width=\"210mm\" height=\"297mm\"") })
    #expect(String(decoding: pages[1], as: UTF8.self).contains(">2</text>"))
  }
}

extension String {
  /// The texts between each `prefix` and the next quotation mark.
  fileprivate func components(of prefix: String) -> [Substring] {
    ranges(of: prefix).map { self[$0.upperBound...].prefix { $0 != "\"" } }
  }
}

@Suite struct PageBreaksTests {
  @Test func `the empty space of all pages but the last is least`() {
    // Greedy breaks would be 0..<3, 3..<4, 4..<5 with 0, 60 and 0 left.
    let breaks = PageBreaks(heights: [20, 30, 30, 40, 50], header: 10, page: 100, gap: 5)
    #expect(breaks.pages == [0..<3, 3..<5])
    let uneven = PageBreaks(heights: [30, 30, 30, 60, 90], header: 0, page: 100, gap: 2)
    #expect(uneven.pages == [0..<2, 2..<4, 4..<5])
  }

  @Test func `a system that is higher than a page has one of its own`() {
    #expect(PageBreaks(heights: [10, 500, 10], header: 0, page: 100, gap: 5).pages == [0..<1, 1..<2, 2..<3])
    #expect(PageBreaks(heights: [], header: 0, page: 100, gap: 5).pages.isEmpty)
  }
}
