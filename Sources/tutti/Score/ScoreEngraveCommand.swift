import ArgumentParser
import Engraving
import Fonts
import Foundation
import Measurement
import Scores

/// The subcommand `tutti score engrave`.
struct ScoreEngraveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "engrave", abstract: "Engrave one part of a score as SVG or PDF.",
    discussion: """
      The suffix of --output decides. A file .svg is one drawing with all systems below each other, as the page shows it. \
      A screen reader says the bar, the beat and the note. A file .pdf has pages with page numbers, for paper; it needs \
      the program rsvg-convert. Staves are 7 mm high, so a smaller width has fewer bars in a line.

      The part is printed as in the score: a clarinet in B flat gets its written notes. Elements that cannot be drawn \
      are listed with their number.

      EXAMPLES
        tutti score engrave evening
        tutti score engrave concerto.mxl --part Violin --output violin.pdf
        tutti score engrave concerto.mxl --part 2 --width 60 --output phone.svg
        tutti score engrave ferry-waltz --transpose -2 --output clarinet.svg
      """)

  @Argument(help: "A name from `tutti score list` or a file.")
  var name: String

  @Option(
    help: ArgumentHelp(
      "Engrave the part with this name or number; `tutti score show` prints the names. (default: the first part)",
      valueName: "PART"))
  var part: String?

  @Option(help: ArgumentHelp("The width of the drawing, or of the paper: 25 to 5000 mm.", valueName: "MM"))
  var width = 210.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Move all notes by this number of semitones: -24 to 24.", valueName: "SEMITONES"))
  var transpose = 0

  @Option(
    help: ArgumentHelp(
      "Draw with this SMuFL font (.otf), such as Bravura. (default: Emmentaler of LilyPond)", valueName: "FILE"))
  var musicFont: String?

  @Option(
    help: ArgumentHelp(
      "Write to this file, .svg or .pdf, and replace it if it exists. (default: for evening.musicxml, evening.svg in "
        + "the current folder; the command then fails if this file exists)", valueName: "FILE"))
  var output: String?

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  private enum Form { case svg, pdf }

  func validate() throws {
    try check("--width", width, in: 25...5000, "25 to 5000 mm")
    try check("--transpose", transpose, in: -24...24, "-24 to 24 semitones")
    if let output { _ = try usage { () throws(CommandError) in try Self.form(of: output) } }
  }

  private static func form(of path: String) throws(CommandError) -> Form {
    switch URL(fileURLWithPath: path).pathExtension.lowercased() {
    case "svg": return .svg
    case "pdf": return .pdf
    default: throw CommandError("--output \(path): is no kind of file that can be drawn; end it with .svg or .pdf")
    }
  }

  func run() throws {
    var score = try ScoreLibrary.read(name).score
    let index = try Self.index(ofPart: part, in: score, name)
    if transpose != 0, let interval = Interval(semitones: transpose) { score = try score.transposed(by: interval) }
    let path = try ScoreLibrary.outputPath(output, for: name, suffix: "svg")
    let form = try Self.form(of: path)
    let program = form == .pdf ? try RsvgProgram() : nil
    let fonts = try FontSet.installed(musicFont: musicFont)
    let missingGlyphs = fonts.music.missing
    if !missingGlyphs.isEmpty {
      warn("the music font has no \(missingGlyphs.map { "\($0)" }.joined(separator: ", ")); these are not drawn")
    }

    let paper = SVGPages.Paper(width: width)
    let spaces = form == .pdf ? paper.musicWidth : SVGDocument.musicWidth(millimetres: width)
    let engraved = try Engraver(fonts: fonts, width: spaces).engrave(score, part: index)
    let title = [score.title, score.movement, score.parts[index].name].filter { !$0.isEmpty }.joined(separator: ", ")
    var pages: Int?
    switch form {
    case .svg:
      let document = SVGDocument(engraved, of: score, font: fonts.music, name: title)
      try PatchLibrary.write(Data(document.octets), to: path)
    case .pdf:
      let drawing = SVGPages(engraved, of: score, fonts: fonts, name: title, paper: paper)
      try program?.writePDF(drawing.pages, to: path)
      pages = drawing.pages.count
    }
    try report(path, score, index, engraved, pages: pages)
  }

  private func report(_ path: String, _ score: Score, _ index: Int, _ part: EngravedPart, pages: Int?) throws {
    for (name, count) in part.missing { warn("\(name) is not drawn: \(counted(count, "time"))") }
    if json {
      var object: JSONObject = [
        "file": path, "part": score.parts[index].name, "bars": score.bars.count, "systems": part.systems.count,
        "missing": Dictionary(part.missing.map { ($0.name, $0.count) }, uniquingKeysWith: +),
      ]
      if let pages { object.merge(["pages": pages]) }
      return try printJSON(object)
    }
    let lines = counted(part.systems.count, "system") + (pages.map { ", " + counted($0, "page") } ?? "")
    let name = score.parts[index].name.isEmpty ? "part \(index + 1)" : score.parts[index].name
    print("\(path): \(name), \(counted(score.bars.count, "bar")), \(lines)")
  }

  /// The index of the part with a name, in capital or small letters, or with a number from 1; the first part if `part` is nil.
  ///
  /// - Throws: ``CommandError`` if there is no such part.
  static func index(ofPart part: String?, in score: Score, _ file: String) throws(CommandError) -> Int {
    guard let part else {
      guard !score.parts.isEmpty else {
        throw CommandError("score \(file): has no parts; give a score with notes", status: .badData)
      }
      return 0
    }
    if let index = score.parts.firstIndex(where: { $0.name.lowercased() == part.lowercased() }) { return index }
    if let number = Int(part), score.parts.indices.contains(number - 1) { return number - 1 }
    let names = score.parts.enumerated().map { index, part in
      part.name.isEmpty ? "\(index + 1)" : "\(index + 1) \(part.name)"
    }
    throw CommandError("score \(file): has no part \(part); give --part one of: \(names.joined(separator: ", "))")
  }
}
