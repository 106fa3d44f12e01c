import ArgumentParser

/// The subcommand `tutti patch show`.
struct PatchShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the layers of a rhythm, or the properties of an instrument.",
    discussion: """
      Each layer of a rhythm is printed with the range of the total activity of all players in which it sounds. Each \
      line is one drum. A line of sixteenth notes has 4 characters per quarter note. A line of triplets has 3 \
      (eighth-note triplets) or 6 (sixteenth-note triplets). The characters are . rest, o soft, x normal, X accent, \
      f flam, F flam with accent. While its layer or fill sounds, a line with ! after the name silences the \
      lines of the same drum that are printed above it. A percentage after the name is the chance that a stroke \
      sounds. 20-60% means 20% at the lowest activity of the layer and 60% at the highest.

      A style is a rhythm with pitched parts: bass, guitar or keys. Each part is printed after the drums, with its \
      sound and with its lowest and highest note, such as E1..C3. The name of a line states its notes. `root`, `third` \
      and similar names: one tone of the present chord. `chord`: all its tones. `approach`: the note one semitone \
      below the root of the next chord or, if that note is outside the range of the part, one semitone above the root. \
      The character - continues the note before it. In a part, a line with ! silences the lines of the same name that \
      are printed above it in this part.

      In an instrument, the line `grid` states a note value, such as 1/16. Each character of the line `figure` lasts \
      for this note value. The line `length` states how long a note sounds. The control in the line `pitch` selects a \
      note of the scale. The characters o (soft), x (normal) and X (accent) play this note. The digits 2 to 9 \
      play normal notes that are 1 to 8 notes higher in the scale. The character . is a rest.

      EXAMPLES
        tutti patch show bossa
        tutti patch show motown
        tutti patch show tilt-harp
      """)

  @Argument(help: "A name from `tutti patch list` or a file.")
  var name: String

  @Flag(help: "Print JSON instead of text.")
  var json = false

  func run() throws {
    let file = try PatchLibrary.load(name)
    if json { return try printJSON(PatchSummary(name: file.name, file: file)) }
    switch file {
    case .rhythm(let patch): print(PatchGrid(patch), terminator: "")
    case .instrument(let instrument): print(InstrumentSheet(instrument), terminator: "")
    }
  }
}
