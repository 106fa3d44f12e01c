import ArgumentParser
import Engraving
import Fonts
import Foundation
import ScoreFiles
import Scores

@main
struct EngravingCorpus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "engraving",
    abstract: "Engrave every part of every score of music21, and compare the engraving with the files.",
    discussion: """
      ROOT is the folder of the Python package music21 10.5, or a single score. For each part, the time of the layout and of the SVG is \
      measured, and every note, rest and bar must be drawn once. Stems, beams and accidentals are compared with those that the file \
      demands. With --output, the SVG of each part is written, so that engraving.mjs can measure it in a browser.

      EXAMPLE
        engraving packages/music21 --output drawings
        engraving quartet.mxl --part 1 --times 9
      """)

  @Argument(help: ArgumentHelp("Read the scores in this folder, or this score.", valueName: "ROOT"))
  var root: String

  @Option(help: ArgumentHelp("Write the SVG of each part and index.tsv into this folder.", valueName: "FOLDER"))
  var output: String?

  @Option(help: ArgumentHelp("The width in staff spaces. The music on A4 is 105 spaces wide.", valueName: "SPACES"))
  var width = 105.0

  @Option(help: ArgumentHelp("Engrave only the part with this number, from 1.", valueName: "N"))
  var part: Int?

  @Option(
    help: ArgumentHelp(
      "Print the milliseconds of the import, of the layout and of the SVG this number of times, and no totals.",
      valueName: "N"))
  var times = 0

  @Option(help: ArgumentHelp("Write the part alone as MusicXML to this file, for another program.", valueName: "FILE"))
  var export: String?

  @Option(help: ArgumentHelp("Print at most this many differences of each kind.", valueName: "N"))
  var differences = 0

  func run() throws {
    let fonts = try FontSet.installed()
    if times > 0 || export != nil { return try time(fonts) }
    let files = try self.files()
    guard !files.isEmpty else { throw ValidationError("\(root): contains no scores; give the folder of music21 10.5") }
    var totals = Totals(limit: differences)
    var index = "number\tfile\tpart\tname\tnotes\tbars\tsystems\tpages\tlayout ms\tSVG ms\toctets\n"
    var number = 0
    for file in files {
      guard let score = totals.read(file, try Data(contentsOf: URL(fileURLWithPath: path(file)))) else { continue }
      for part in score.parts.indices where self.part == nil || self.part == part + 1 {
        guard let result = totals.engrave(score, part, file, fonts, width) else { continue }
        number += 1
        let name = String(format: "%04d", number)
        let row: [String] = [
          name, file, "\(part + 1)", score.parts[part].name.filter { !$0.isNewline && $0 != "\t" }, "\(result.notes)",
          "\(score.bars.count)", "\(result.systems)", "\(result.pages)", String(format: "%.3f", result.layout),
          String(format: "%.3f", result.writing), "\(result.svg.count)",
        ]
        index += row.joined(separator: "\t") + "\n"
        if let output { try Data(result.svg).write(to: URL(fileURLWithPath: "\(output)/\(name).svg")) }
      }
    }
    if let output { try Data(index.utf8).write(to: URL(fileURLWithPath: "\(output)/index.tsv")) }
    totals.report()
  }

  /// The paths of the scores, relative to the root.
  private func files() throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else { return [""] }
    return ["corpus", "musicxml/lilypondTestSuite"].flatMap { folder in
      let enumerator = FileManager.default.enumerator(atPath: "\(root)/\(folder)")
      let names = enumerator?.compactMap { $0 as? String } ?? []
      return names.filter { name in [".xml", ".mxl", ".musicxml"].contains { name.hasSuffix($0) } }.sorted().map {
        "\(folder)/\($0)"
      }
    }
  }

  private func path(_ file: String) -> String { file.isEmpty ? root : "\(root)/\(file)" }

  /// One part, engraved several times from its file on. Each line has the times of one repetition.
  private func time(_ fonts: FontSet) throws {
    let octets = Array(try Data(contentsOf: URL(fileURLWithPath: root)))
    var score = try ScoreImport(octets: octets, file: root).score
    let part = (part ?? 1) - 1
    guard score.parts.indices.contains(part) else { throw ValidationError("\(root): has no part \(part + 1)") }
    if let export {
      score.parts = [score.parts[part]]
      try Data(MusicXMLWriter.octets(score)).write(to: URL(fileURLWithPath: export))
    }
    let clock = ContinuousClock()
    for _ in 0..<times {
      var (engraved, octets) = (EngravedPart?.none, octets)
      let reading = try clock.measure { score = try ScoreImport(octets: octets, file: root).score }
      let layout = try clock.measure { engraved = try Engraver(fonts: fonts, width: width).engrave(score, part: part) }
      let writing = clock.measure {
        octets = engraved.map { SVGDocument($0, of: score, font: fonts.music, name: "").octets } ?? []
      }
      print([reading, layout, writing].map { String(format: "%.3f", milliseconds($0)) }.joined(separator: " "))
    }
  }
}

func milliseconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
}
