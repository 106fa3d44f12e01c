import ArgumentParser

/// The subcommand `tutti score`.
struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "List, show, check, play, render, engrave and convert scores.",
    discussion: """
      A score is a MusicXML file (.musicxml, .xml), a compressed MusicXML file (.mxl) or a MIDI file (.mid). Most \
      programs for music notation export MusicXML.

      If you give a score by name, the program looks for NAME.musicxml, NAME.mxl, NAME.xml and NAME.mid in the folders \
      scores beside the folders rhythms and instruments: in $TUTTI_PATCHES, then in the folder of the program and those \
      above it. See `tutti patch --help`. A name that contains / or ends with one of these suffixes is the path of a \
      file.

      EXAMPLES
        tutti score list
        tutti score show ferry-waltz
        tutti score show concerto.mxl --bars
        tutti score check *.musicxml
        tutti score play evening
        tutti score render evening --output evening.wav
        tutti score engrave evening --output evening.pdf
        tutti score export evening --output evening.mid
        tutti score import song.mid
      """,
    subcommands: [
      ScoreListCommand.self, ScoreShowCommand.self, ScoreCheckCommand.self, ScorePlayCommand.self,
      ScoreRenderCommand.self, ScoreEngraveCommand.self, ScoreExportCommand.self, ScoreImportCommand.self,
    ])
}
