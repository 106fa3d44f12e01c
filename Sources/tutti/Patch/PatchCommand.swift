import ArgumentParser

/// The subcommand `tutti patch`.
struct PatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "List, show, check, render, convert and create patches.",
    discussion: """
      A patch is a YAML file that describes a rhythm or an instrument.

      A rhythm consists of layers. Each player sets an activity, 0 to 127: how dense the rhythm should be. The total \
      activity is by default the sum of the activities of all players, at most 127. A layer sounds while the total \
      activity is in its range.

      An instrument plays notes for one player. If it has a figure (a repeating pattern of notes), it plays the figure \
      in time with the rhythm. Otherwise it plays one note for each action of the player, such as a key press. The \
      pitch, the loudness and other properties of the notes follow controls that the player moves, such as a MIDI \
      controller.

      If you give a patch by name, the program looks for NAME.yaml in these folders, in this order:
        1. $TUTTI_PATCHES/rhythms
        2. Patches/rhythms, then share/tutti/Patches/rhythms, both in the folder
           of the program
        3. the same two folders in each folder above the folder of the program,
           the nearest one first
        4. the folders of 1 to 3 again, with instruments instead of rhythms
        5. your own patches: ~/.config/tutti/patches (or tutti/patches in
           $XDG_CONFIG_HOME), then the folder where the program was started
      A command that needs a rhythm skips the folders of 4, and one that needs an instrument those of 1 to 3. The lists \
      show your own patches after those of the program.

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
