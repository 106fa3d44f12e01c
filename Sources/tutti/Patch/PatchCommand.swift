import ArgumentParser

/// The subcommand `tutti patch`.
struct PatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "List, show, check, render, convert and create patches.",
    discussion: """
      A patch is a YAML file that describes a rhythm as layers. A layer sounds while the total activity of \
      all players, 0 to 127, is in its range.

      If you give a patch by name, the program looks for it in these folders, in this order:
        1. $TUTTI_PATCHES/rhythms
        2. Patches/rhythms and share/tutti/Patches/rhythms, beside the program and
           in each folder above it

      A name that contains / or ends with .yaml is the path of a file.

      EXAMPLES
        tutti patch list
        tutti patch show street
        tutti patch new my-rhythm
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
