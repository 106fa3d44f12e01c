import ArgumentParser
import Foundation
import ScoreFiles
import Scores

@main
struct ScoreCorpus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scorecorpus",
    abstract: "Import all scores of music21, and compare their notes with music21's reading.",
    discussion: """
      ROOT is the folder of the Python package music21 10.5. NOTES is a folder with the texts that music21-notes.py writes. A note is \
      equal if its onset, its length and its pitch are. Without NOTES, the scores are only imported, exported and imported again.

      EXAMPLE
        pip install --target packages music21==10.5
        PYTHONPATH=packages python3 Sources/scorecorpus/music21-notes.py notes
        scorecorpus packages/music21 --notes notes
      """)

  @Argument(help: ArgumentHelp("Read the scores in this folder.", valueName: "ROOT"))
  var root: String

  @Option(help: ArgumentHelp("Compare with the texts in this folder.", valueName: "NOTES"))
  var notes: String?

  @Option(help: ArgumentHelp("Print at most this many differences of each file.", valueName: "N"))
  var differences = 0

  @Option(help: ArgumentHelp("Write each score as MusicXML into this folder.", valueName: "FOLDER"))
  var export: String?

  @Flag(help: "Compare the time of the import with that of expat alone, in pairs, for the largest files.")
  var time = false

  func run() throws {
    let files = try ["corpus", "musicxml/lilypondTestSuite"].flatMap(scores)
    guard !files.isEmpty else { throw ValidationError("\(root): contains no scores; give the folder of music21 10.5") }
    if time { return try ImportTime.measure(files, root) }
    var totals = Totals()
    for file in files {
      let score = try totals.add(file, octets: octets(file), notes: notes.map { noteFile($0, file) }, differences)
      guard let export, let score else { continue }
      let name = file.replacingOccurrences(of: "/", with: "+") + ".musicxml"
      try Data(MusicXMLWriter.octets(score)).write(to: URL(fileURLWithPath: "\(export)/\(name)"))
    }
    totals.report()
    if totals.failsLimits { throw ExitCode(1) }
  }

  /// The paths of the scores below a folder, relative to the root.
  private func scores(in folder: String) throws -> [String] {
    let enumerator = FileManager.default.enumerator(atPath: "\(root)/\(folder)")
    let names = enumerator?.compactMap { $0 as? String } ?? []
    return names.filter { name in [".xml", ".mxl", ".musicxml"].contains { name.hasSuffix($0) } }.sorted().map {
      "\(folder)/\($0)"
    }
  }

  private func octets(_ file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(file)")))
  }

  private func noteFile(_ folder: String, _ file: String) -> String {
    "\(folder)/\(file.replacingOccurrences(of: "/", with: "+")).txt"
  }
}
