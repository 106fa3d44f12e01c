import ArgumentParser
import Foundation
import Measurement

/// The subcommand `tutti patch new`.
struct PatchNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Write a commented template of a patch.",
    discussion: """
      The template is a complete rhythm, or with --instrument a complete instrument. It is written to NAME.yaml in the \
      current folder. The command fails if the file exists.

      EXAMPLES
        tutti patch new my-rhythm
        tutti patch new my-harp --instrument
      """)

  @Argument(help: "The name of the new patch.")
  var name: String

  @Flag(help: "Write an instrument instead of a rhythm.")
  var instrument = false

  func validate() throws {
    guard (1...40).contains(name.count), name.allSatisfy({ $0.isLetter || $0.isNumber || "-_ ".contains($0) }) else {
      throw ValidationError("\(name): not a name; give 1 to 40 letters, digits, spaces, - or _")
    }
  }

  func run() throws {
    try reportingErrors {
      let path = "\(name).yaml"
      do {
        let text = instrument ? Self.instrumentTemplate(named: name) : Self.template(named: name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
      } catch CocoaError.fileWriteFileExists {
        throw CommandError("patch \(path): already exists; give another name or remove the file")
      } catch {
        throw CommandError("patch \(path): cannot be written (\(error.reason)); change to a writable folder")
      }
      let argument = path.contains(" ") ? "'\(path)'" : path
      if instrument {
        print("\(path): edit it, and render it with: tutti patch render \(argument) --ramp")
      } else {
        print("\(path): edit it, and play it with: tutti peer --patch \(argument) --start")
        print("When you save it, the new version plays from the next bar.")
      }
    }
  }

  /// The text of a new patch.
  static func template(named name: String) -> String {
    """
    # A rhythm in layers. `tutti patch check FILE` checks it, `tutti peer --patch FILE --start` plays it.
    name: "\(name)"
    description: A rock beat with lightly swung sixteenth notes.
    tempo: 100              # quarter notes per minute
    meter: 4/4              # 3/4, 7/8 and 12/8 work too
    swing: 56%              # where the second sixteenth of each pair falls: 50% straight, 66.7% triplet
    feel: { snare: +6 ms }  # the snare drags; a negative time pushes
    level: { hat: 90% }     # the loudness of a drum

    # A line is a drum and one character per step: 16 characters per bar of 4/4 for sixteenth notes, 12 for triplets.
    #   . rest   o ghost note   x normal   X accent   f flam   F flam with accent
    # Spaces are ignored. | separates bars. A line of one bar repeats.
    play:
      always:               # sounds at every activity
        kick:      X... ..x. X... .... | X... ..x. X.x. ....
        stick:     .... X... .... X...
      from 40:              # sounds from activity 40 on, in addition to the layers above
        hat:       x.x. x.x. x.x. x.x.
      from 64:
        stick!:    .... .... .... .... # ! replaces the earlier lines of this drum; a line of rests mutes it
        snare:     .... X... .... X...
        snare 20-60%: .o.o ...o .o.o ...o # the chance of each stroke: 20% at activity 64, 60% at 127
      from 90:
        hat!:      xoxo xoxo xoxo xo..
        open hat:  .... .... .... ..x.
      from 110:
        cowbell:   x.x x.x x.x x.x  # eighth-note triplets

    fill:
      every: 8 bars
      chance: 75%
      snare:       .... .... oxox xXxF

    # The chords, a bar each. Chords in one bar divide it evenly, and / continues a chord. All peers play the parts.
    chords: Dm7 | G7 | Cmaj7 / / Em7 | Am7 D7

    # A line is a tone of the chord: root, third, fifth, seventh, octave, approach (to the next root) or chord.
    # A note lasts one step. - continues it.
    parts:
      bass:
        sound: bass         # a General MIDI sound
        range: E1..C3
        always:
          root:     X--- --x- X--- ....
        from 60:
          fifth:    .... .... .... x-..
      keys:
        sound: electric piano
        level: 70%
        from 30:
          chord:    ..x- .... ..x- ....

    """
  }

  /// The text of a new instrument.
  static func instrumentTemplate(named name: String) -> String {
    """
    # An instrument. `tutti patch check FILE` checks it, `tutti patch render FILE --ramp` renders it.
    name: "\(name)"
    description: A harp figure that climbs as you tilt forward.
    sound: harp                         # a General MIDI sound: piano, marimba, kalimba, pan flute, ...
    scale: D minor pentatonic, D3..D6   # the notes that can sound; C4 is middle C
    # With `chord or D minor pentatonic`, the notes follow the chords of the rhythm. In a rhythm without chords, they
    # are in D minor pentatonic.

    # One character per unit of the grid. Without a figure, the instrument plays one note per action.
    #   . rest   o ghost note   x normal   X accent   1 to 9: notes of the scale, counted upwards from the pitch (1)
    # Spaces and | are ignored. The figure repeats.
    figure: X.3x o.5x x.3. 2.x3

    # What the properties follow: tilt forward, tilt sideways, force, activity, or a MIDI controller such as controller 16.
    # A range such as 40..110 sets the lowest and the highest value of the property. 110..40 reverses the control.
    pitch: tilt forward
    density: activity                   # how many notes of the figure sound
    brightness: tilt sideways
    loudness: force, 44..100

    # The distance between the lines of the grid is 1/4 to 1/32, or a triplet such as 1/8 triplets. Without a figure,
    # while a rhythm plays, a note up to 40% of this distance after a line sounds at once; any other note waits for the
    # next line.
    grid: 1/16, late 40%
    length: 1/4                         # how long a note sounds

    """
  }
}
