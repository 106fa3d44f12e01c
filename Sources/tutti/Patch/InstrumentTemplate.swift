/// The commented template of an instrument.
enum InstrumentTemplate {
  /// The text of a new instrument.
  static func text(named name: String) -> String {
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
