import Text

/// The sounds of General MIDI (GM 1 sound set, programs 0 to 127): the names by which an instrument refers to them.
enum ProgramNames {
  /// The short name and the General MIDI name of each program from 0 on. A program without a short name has the same name
  /// twice.
  private static let names: [(short: String, standard: String)] = [
    // Pianos.
    ("piano", "acoustic grand piano"), ("bright piano", "bright acoustic piano"),
    ("electric grand", "electric grand piano"), ("honky-tonk", "honky-tonk piano"),
    ("electric piano", "electric piano 1"), ("fm piano", "electric piano 2"), ("harpsichord", "harpsichord"),
    ("clavinet", "clavi"),
    // Chromatic percussion.
    ("celesta", "celesta"), ("glockenspiel", "glockenspiel"), ("music box", "music box"),
    ("vibraphone", "vibraphone"), ("marimba", "marimba"), ("xylophone", "xylophone"), ("bells", "tubular bells"),
    ("dulcimer", "dulcimer"),
    // Organs.
    ("organ", "drawbar organ"), ("percussive organ", "percussive organ"), ("rock organ", "rock organ"),
    ("church organ", "church organ"), ("reed organ", "reed organ"), ("accordion", "accordion"),
    ("harmonica", "harmonica"), ("bandoneon", "tango accordion"),
    // Guitars.
    ("nylon guitar", "acoustic guitar (nylon)"), ("steel guitar", "acoustic guitar (steel)"),
    ("jazz guitar", "electric guitar (jazz)"), ("clean guitar", "electric guitar (clean)"),
    ("muted guitar", "electric guitar (muted)"), ("overdriven guitar", "overdriven guitar"),
    ("distortion guitar", "distortion guitar"), ("guitar harmonics", "guitar harmonics"),
    // Basses.
    ("double bass", "acoustic bass"), ("bass", "electric bass (finger)"), ("picked bass", "electric bass (pick)"),
    ("fretless bass", "fretless bass"), ("slap bass", "slap bass 1"), ("second slap bass", "slap bass 2"),
    ("synth bass", "synth bass 1"), ("second synth bass", "synth bass 2"),
    // Strings.
    ("violin", "violin"), ("viola", "viola"), ("cello", "cello"), ("contrabass", "contrabass"),
    ("tremolo strings", "tremolo strings"), ("pizzicato", "pizzicato strings"), ("harp", "orchestral harp"),
    ("timpani", "timpani"),
    // Ensembles.
    ("strings", "string ensemble 1"), ("slow strings", "string ensemble 2"), ("synth strings", "synth strings 1"),
    ("second synth strings", "synth strings 2"), ("choir", "choir aahs"), ("voice", "voice oohs"),
    ("synth voice", "synth voice"), ("orchestra hit", "orchestra hit"),
    // Brass.
    ("trumpet", "trumpet"), ("trombone", "trombone"), ("tuba", "tuba"), ("muted trumpet", "muted trumpet"),
    ("horn", "french horn"), ("brass", "brass section"), ("synth brass", "synth brass 1"),
    ("second synth brass", "synth brass 2"),
    // Reeds.
    ("soprano sax", "soprano sax"), ("alto sax", "alto sax"), ("tenor sax", "tenor sax"),
    ("baritone sax", "baritone sax"), ("oboe", "oboe"), ("cor anglais", "english horn"), ("bassoon", "bassoon"),
    ("clarinet", "clarinet"),
    // Pipes.
    ("piccolo", "piccolo"), ("flute", "flute"), ("recorder", "recorder"), ("pan flute", "pan flute"),
    ("bottle", "blown bottle"), ("shakuhachi", "shakuhachi"), ("whistle", "whistle"), ("ocarina", "ocarina"),
    // Synthesizer leads.
    ("square lead", "lead 1 (square)"), ("sawtooth lead", "lead 2 (sawtooth)"), ("calliope lead", "lead 3 (calliope)"),
    ("chiff lead", "lead 4 (chiff)"), ("charang lead", "lead 5 (charang)"), ("voice lead", "lead 6 (voice)"),
    ("fifths lead", "lead 7 (fifths)"), ("bass lead", "lead 8 (bass + lead)"),
    // Synthesizer pads.
    ("new age pad", "pad 1 (new age)"), ("warm pad", "pad 2 (warm)"), ("polysynth pad", "pad 3 (polysynth)"),
    ("choir pad", "pad 4 (choir)"), ("bowed pad", "pad 5 (bowed)"), ("metallic pad", "pad 6 (metallic)"),
    ("halo pad", "pad 7 (halo)"), ("sweep pad", "pad 8 (sweep)"),
    // Synthesizer effects.
    ("rain", "fx 1 (rain)"), ("soundtrack", "fx 2 (soundtrack)"), ("crystal", "fx 3 (crystal)"),
    ("atmosphere", "fx 4 (atmosphere)"), ("brightness", "fx 5 (brightness)"), ("goblins", "fx 6 (goblins)"),
    ("echoes", "fx 7 (echoes)"), ("sci-fi", "fx 8 (sci-fi)"),
    // Folk instruments.
    ("sitar", "sitar"), ("banjo", "banjo"), ("shamisen", "shamisen"), ("koto", "koto"), ("kalimba", "kalimba"),
    ("bagpipe", "bag pipe"), ("fiddle", "fiddle"), ("shanai", "shanai"),
    // Percussive sounds.
    ("tinkle bell", "tinkle bell"), ("agogo", "agogo"), ("steel drums", "steel drums"), ("woodblock", "woodblock"),
    ("taiko", "taiko drum"), ("melodic tom", "melodic tom"), ("synth drum", "synth drum"),
    ("reverse cymbal", "reverse cymbal"),
    // Sound effects.
    ("fret noise", "guitar fret noise"), ("breath noise", "breath noise"), ("seashore", "seashore"),
    ("bird", "bird tweet"), ("telephone", "telephone ring"), ("helicopter", "helicopter"), ("applause", "applause"),
    ("gunshot", "gunshot"),
  ]

  /// The program of a sound by its short name or its General MIDI name. Case is ignored. Nil for any other name.
  static func program(named name: String) -> UInt8? {
    let name = name.lowercased()
    return names.firstIndex { $0.short == name || $0.standard == name }.map { UInt8($0) }
  }

  /// The short name of a program, 0...127.
  static func name(of program: UInt8) -> String { names[Int(program & 0x7F)].short }

  /// The General MIDI name of a program, 0...127.
  static func standardName(of program: UInt8) -> String { names[Int(program & 0x7F)].standard }

  /// At most four short names that have a word in common with `name`. If there are none, the short names that are spelt like it.
  static func similar(to name: String) -> [String] {
    let words = Set(name.lowercased().split(separator: " "))
    let common = names.map(\.short).filter { !words.isDisjoint(with: $0.split(separator: " ")) }
    return common.isEmpty ? names.map(\.short).nearest(to: name) : Array(common.prefix(4))
  }
}
