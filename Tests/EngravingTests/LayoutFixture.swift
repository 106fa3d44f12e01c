import Engraving
import Fonts
import Foundation
import ScoreFiles
import Scores
import Testing

/// Scores and geometry for tests of the layout.
struct LayoutFixture {
  let fonts: FontSet

  init() throws { fonts = try FontSet.installed() }

  // MARK: Scores

  /// The project's own scores.
  static var scoreFiles: [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Patches/scores").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".musicxml") }.sorted().map { folder + "/" + $0 }
  }

  static func file(_ path: String) throws -> Score {
    let data = try #require(FileManager.default.contents(atPath: path))
    return try ScoreImport(octets: [UInt8](data), file: path).score
  }

  /// A part of one staff in 4/4 (or another metre) from bars of text: `C5:4` is a quarter, `F#4:8.` a dotted eighth, `C4+E4:2` a chord, `r:4`
  /// a rest. `|` divides bars and `;` divides the voices of a bar.
  static func score(_ text: String, beats: Int = 4, unit: Int = 4, fifths: Int = 0) throws -> Score {
    var score = Score()
    let metre = try #require(Metre([.init(beats: [beats], unit: unit)]))
    var part = Part(name: "", instruments: [.init(name: "")])
    for (index, bar) in text.split(separator: "|").enumerated() {
      score.bars.append(Bar(number: "\(index + 1)", length: metre.length, metre: index == 0 ? metre : nil))
      var content = PartBar()
      for (number, voice) in bar.split(separator: ";").enumerated() {
        var (chords, onset) = ([Chord](), Fraction.zero)
        for token in voice.split(separator: " ") {
          let chord = try chord(token, at: onset)
          onset = try onset + chord.length
          chords.append(chord)
        }
        content.voices.append(Voice(number: UInt8(number + 1), chords: chords))
      }
      part.bars.append(content)
    }
    part.bars[0].changes = [Change(offset: .zero, staff: 0, .key(Key(fifths: Int8(fifths), mode: .none)))]
    score.parts = [part]
    score.assignIdentifiers()
    try score.validate()
    return score
  }

  private static func chord(_ token: Substring, at onset: Fraction) throws -> Chord {
    let halves = token.split(separator: ":")
    let dots = halves[1].count { $0 == "." }
    let number = try #require(Int(halves[1].filter(\.isNumber)))
    let value = try #require(NoteValue(halvings: number.trailingZeroBitCount, dots: dots))
    var chord = Chord(onset: onset, length: value.length)
    chord.value = value
    if halves[0] != "r" { chord.notes = try halves[0].split(separator: "+").map { try note($0) } }
    return chord
  }

  private static func note(_ name: Substring) throws -> Note {
    let first = try #require(name.first)
    let step = try #require(Array("CDEFGAB").firstIndex(of: first))
    let octave = try #require(Int(name.drop { !$0.isNumber }))
    let signs = name.dropFirst().prefix { !$0.isNumber }
    let alteration = signs.reduce(0) { $0 + ($1 == "#" ? 100 : -100) }
    let pitch = try #require(Pitch(step: step, alteration: alteration, octave: octave))
    return Note(.pitch(pitch))
  }

  // MARK: Engravings

  func engrave(_ score: Score, part: Int = 0, width: Double = 100) throws -> EngravedPart {
    try Engraver(fonts: fonts, width: width).engrave(score, part: part)
  }

  func elements(_ text: String, _ role: Element.Role, width: Double = 100, fifths: Int = 0) throws -> [Element] {
    try engrave(Self.score(text, fifths: fifths), width: width).systems.flatMap(\.elements).filter { $0.role == role }
  }

  // MARK: Geometry

  func box(_ shape: Shape) -> Box {
    switch shape {
    case .glyph(let glyph, let at, let scale):
      let box = fonts.music.box(glyph)
      return Box(
        left: at.x + box.left * scale, top: at.y + box.top * scale, right: at.x + box.right * scale,
        bottom: at.y + box.bottom * scale)
    case .line(let from, let to, _, _):
      return Box(left: min(from.x, to.x), top: min(from.y, to.y), right: max(from.x, to.x), bottom: max(from.y, to.y))
    case .polygon(let points):
      let boxes = points.map { Box(left: $0.x, top: $0.y, right: $0.x, bottom: $0.y) }
      return boxes.dropFirst().reduce(boxes[0]) { $0.union($1) }
    case .slur:
      let boxes = Self.points(shape).map { Box(left: $0.x, top: $0.y, right: $0.x, bottom: $0.y) }
      return boxes.dropFirst().reduce(boxes[0]) { $0.union($1) }
    case .frame(let box, _): return box
    case .text(_, let at, let style, let width):
      return Box(left: at.x, top: at.y - style.size * 0.7, right: at.x + width, bottom: at.y + style.size * 0.1)
    }
  }

  /// The points of a slur, from its beginning to its end.
  static func points(_ element: Element) -> [Point] { element.shapes.first.map(points) ?? [] }

  private static func points(_ shape: Shape) -> [Point] {
    guard case .slur(let from, let a, let b, let to, _) = shape else { return [] }
    return (0...50).map { step in
      let t = Double(step) / 50
      let u = 1 - t
      let (p, q, r, s) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
      return Point(p * from.x + q * a.x + r * b.x + s * to.x, p * from.y + q * a.y + r * b.y + s * to.y)
    }
  }

  /// The direction of a stem, and its length.
  static func stem(_ element: Element) -> (isUp: Bool, length: Double)? {
    guard case .line(let from, let to, _, _)? = element.shapes.first else { return nil }
    return (to.y < from.y, abs(to.y - from.y))
  }

  static func glyphs(_ elements: [Element]) -> [MusicFont.Glyph] {
    elements.flatMap(\.shapes).compactMap { if case .glyph(let glyph, _, _) = $0 { glyph } else { nil } }
  }
}
