/// The drums of General MIDI (GM 1 percussion key map, notes 35 to 81): the names by which a patch refers to them.
enum DrumNames {
  /// The short name and the General MIDI name of each drum from note 35 on. A drum without a short name has the same name
  /// twice.
  private static let names: [(short: String, standard: String)] = [
    ("low kick", "acoustic bass drum"), ("kick", "bass drum 1"), ("stick", "side stick"), ("snare", "acoustic snare"),
    ("clap", "hand clap"), ("tight snare", "electric snare"), ("floor tom", "low floor tom"),
    ("hat", "closed hi-hat"), ("high floor tom", "high floor tom"), ("pedal hat", "pedal hi-hat"),
    ("low tom", "low tom"), ("open hat", "open hi-hat"), ("middle tom", "low-mid tom"), ("hi-mid tom", "hi-mid tom"),
    ("crash", "crash cymbal 1"), ("high tom", "high tom"), ("ride", "ride cymbal 1"), ("china", "chinese cymbal"),
    ("ride bell", "ride bell"), ("tambourine", "tambourine"), ("splash", "splash cymbal"), ("cowbell", "cowbell"),
    ("second crash", "crash cymbal 2"), ("vibraslap", "vibraslap"), ("second ride", "ride cymbal 2"),
    ("high bongo", "hi bongo"), ("low bongo", "low bongo"), ("muted conga", "mute hi conga"),
    ("open conga", "open hi conga"), ("low conga", "low conga"), ("high timbale", "high timbale"),
    ("low timbale", "low timbale"), ("high agogo", "high agogo"), ("low agogo", "low agogo"), ("cabasa", "cabasa"),
    ("shaker", "maracas"), ("short whistle", "short whistle"), ("long whistle", "long whistle"),
    ("short guiro", "short guiro"), ("long guiro", "long guiro"), ("claves", "claves"),
    ("high block", "hi wood block"), ("low block", "low wood block"), ("muted cuica", "mute cuica"),
    ("open cuica", "open cuica"), ("muted triangle", "mute triangle"), ("triangle", "open triangle"),
  ]

  /// The note of a drum by its short name or its General MIDI name. Case is ignored. Nil for any other name.
  static func note(named name: String) -> UInt8? {
    let name = name.lowercased()
    return names.firstIndex { $0.short == name || $0.standard == name }.map { UInt8($0 + 35) }
  }

  /// All names of drums: first the short ones, then those of General MIDI that differ from them.
  static let all = names.map(\.short) + names.filter { $0.short != $0.standard }.map(\.standard)

  /// The short name of a note; nil for a note outside 35...81.
  static func name(of note: UInt8) -> String? {
    (35..<35 + names.count).contains(Int(note)) ? names[Int(note) - 35].short : nil
  }

  /// The cut-off group of a note by GM 1; nil for none. The notes of a group silence each other. They are sounds of one physical
  /// instrument, such as a pair of hi-hats, which cannot sound in two ways at once.
  static func group(of note: UInt8) -> String? {
    switch note {
    case 42, 44, 46: "hats"
    case 71, 72: "whistle"
    case 73, 74: "guiro"
    case 78, 79: "cuica"
    case 80, 81: "triangle"
    default: nil
    }
  }
}
