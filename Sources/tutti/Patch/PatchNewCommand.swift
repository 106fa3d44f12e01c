import ArgumentParser
import Foundation

/// The subcommand `tutti patch new`.
struct PatchNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Write a commented template of a patch.",
    discussion: """
      The template is a complete rhythm. It is written to NAME.yaml in the current folder. An existing file is kept.

      EXAMPLE
        tutti patch new my-rhythm
      """)

  @Argument(help: "The name of the new patch.")
  var name: String

  func validate() throws {
    guard (1...40).contains(name.count), name.allSatisfy({ $0.isLetter || $0.isNumber || "-_ ".contains($0) }) else {
      throw ValidationError("\(name): not a name; give 1 to 40 letters, digits, spaces, - or _")
    }
  }

  func run() throws {
    try reportingErrors {
      let path = "\(name).yaml"
      do {
        try Data(Self.template(named: name).utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
      } catch CocoaError.fileWriteFileExists {
        throw PatchLibrary.NotFound(description: "patch \(path): exists already; give another name or remove the file")
      } catch {
        throw PatchLibrary.NotFound(description: "patch \(path): cannot be written; work in a writable folder")
      }
      print("\(path): edit it, then listen with: tutti patch render \(path.contains(" ") ? "'\(path)'" : path) --ramp")
    }
  }

  /// The text of a new patch.
  static func template(named name: String) -> String {
    """
    # A rhythm in layers. `tutti patch check FILE` checks it, `tutti patch render FILE --ramp` makes it audible.
    name: "\(name)"
    description: A rock beat with a swung hi-hat.
    tempo: 100              # quarter notes per minute
    meter: 4/4              # 3/4, 7/8 and 12/8 work too
    swing: 56%              # position of every second sixteenth: 50% is straight, 66.7% is a triplet
    feel: { snare: +6 ms }  # the snare drags; a negative time pushes
    level: { hat: 90% }     # the loudness of a drum

    # One line per drum and one character per sixteenth note:
    #   . rest   o ghost note   x normal   X accent   f flam   F flam with accent
    # Spaces are ignored. | separates bars. A line of one bar repeats.
    play:
      always:               # sounds at every activity
        kick:      X... ..x. X... .... | X... ..x. X.x. ....
        stick:     .... X... .... X...
      from 40:              # sounds from activity 40 on, in addition to the layers above
        hat:       x.x. x.x. x.x. x.x.
      from 64:
        stick!:    .... .... .... .... # ! replaces the lines of this drum above
        snare:     .... X... .... X...
        snare 20-60%: .o.o ...o .o.o ...o # each stroke has a chance, which rises with the activity
      from 90:
        hat!:      xoxo xoxo xoxo xo..
        open hat:  .... .... .... ..x.
      from 110:
        cowbell:   x.x x.x x.x x.x  # twelve instead of sixteen characters: triplets

    fill:
      every: 8 bars
      chance: 75%
      snare:       .... .... oxox xXxF

    """
  }
}
