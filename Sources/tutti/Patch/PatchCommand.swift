import ArgumentParser

/// The subcommand `tutti patch`.
struct PatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "List, show, check, render, convert and create patches.",
    discussion: """
      A patch is a YAML file that describes a rhythm or an instrument. A rhythm consists of layers. A layer sounds while \
      the total activity of all players, 0 to 127, is in its range. An instrument plays a repeating pattern of notes (a \
      figure) in time with the rhythm, or one note per action, and follows the controls of its player.

      If you give a patch by name, the program looks for it in these folders, in this order:
        1. $TUTTI_PATCHES/rhythms
        2. Patches/rhythms and share/tutti/Patches/rhythms, beside the program and
           in each folder above it
        3. the same folders, with instruments instead of rhythms

      A name that contains / or ends with .yaml is the path of a file.

      EXAMPLES
        tutti patch list
        tutti patch show street
        tutti patch new my-rhythm
        tutti patch new my-harp --instrument
        tutti patch check my-rhythm.yaml
        tutti patch render my-rhythm.yaml --ramp
        tutti patch import groove.mid
        tutti patch export street
      """,
    subcommands: [
      PatchListCommand.self, PatchShowCommand.self, PatchCheckCommand.self, PatchRenderCommand.self,
      PatchImportCommand.self, PatchExportCommand.self, PatchNewCommand.self,
    ])
}
