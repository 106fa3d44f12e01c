import Scores

/// One note head.
struct NotatedNote {
  var id: UInt32
  /// Half spaces above the middle line.
  var place: Int
  /// ``Pitch/letter`` and ``Pitch/alteration``; for accidentals and ties.
  var letter: Int
  var alteration: Int
  /// The accidentals that stand before the note, from left to right; empty for none.
  var accidental: Note.Accidental = .none
  var head: Note.Head
  var isStroke: Bool
  var startsTie: Bool
  var continuesTie: Bool
  /// The index of the chord.
  var chord: Int
}

/// A syllable.
struct NotatedLyric {
  var verse: Int
  var position: Lyric.Position
  var text: String
  var isExtended: Bool
}

/// A chord, rest or grace chord.
struct NotatedChord {
  var id: UInt32
  /// The index in ``NotatedPart/measures``, and in the bars of the score.
  var measure: Int
  var bar: Int
  /// The onset in ticks from the beginning of the bar.
  var tick: Int
  /// The order at one tick: 0, and less than 0 for grace notes before it.
  var order = 0
  var length: Int
  var staff: Int
  var voice: Int
  /// How often a whole note is halved.
  var halvings: Int
  var dots: Int
  var notes: Range<Int>
  var lyrics: Range<Int>
  var isRest: Bool
  /// Whether the rest fills its bar and stands in its middle.
  var isWholeBar = false
  var grace: Chord.Grace?
  var isCue: Bool
  var signs: Chord.Signs
  var dynamic: Dynamic?
  var tremolo: Int
  var ratio: TimeModification?
  /// The stem of the file, and the one that the rules of engraving give.
  var demandedStem: Chord.Stem?
  var ruledStemUp = true
  /// Whether several voices share the staff in this bar, and the rank of the voice among them from above.
  var isPolyphonic = false
  var rank = 0
  /// Whether the rest lies between the notes of a beam, to which it gives way.
  var isUnderBeam = false
  /// The index in ``NotatedPart/beams``; -1 for none.
  var beam = -1
  var stemUp = true

  var isGrace: Bool { grace != nil }
  var isSmall: Bool { grace != nil || isCue }
  var hasStem: Bool { !isRest && halvings >= 1 && demandedStem != .absent }
  /// The number of flags or beams.
  var flags: Int { max(halvings - 2, 0) }
  var scale: Double { isSmall ? 0.65 : 1 }
}

/// A group of chords under one beam.
struct BeamGroup {
  struct Member {
    var chord: Int
    /// The number of beams, 1 or more.
    var levels: Int
    /// The number of beams, from the outer one on, that lead to the next member.
    var joined: Int
    /// Whether beams that lead nowhere point forward.
    var hookIsForward: Bool
  }
  var members: [Member]
}

/// A tuplet: its chords in order, and what is printed.
struct TupletGroup {
  var chords: [Int]
  var number: Int
  /// The number of tuplets that enclose it.
  var depth = 0
}

/// A line from one chord to another: a slur.
struct ChordSpan: Equatable {
  var start: Int
  var end: Int
}

/// A tie. A side without a note is open: a tie into another ending.
struct TieSpan {
  var start: Int?
  var end: Int?
}

/// A hairpin or octave line, from one position to another.
struct MarkSpan {
  enum Kind {
    case crescendo, diminuendo
    /// Octaves up, or down if negative.
    case octaves(Int)
  }
  var kind: Kind
  var staff: Int
  var start: (measure: Int, tick: Int)
  var end: (measure: Int, tick: Int)
}

/// What stands at a position and has a text or glyphs.
struct NotatedMark {
  enum Content {
    case dynamic(Dynamic)
    case words(String)
    case rehearsal(String)
    case tempo(TempoMark)
    case symbol(ChordSymbol)
    case pedal(isDown: Bool)
  }
  var content: Content
  var staff: Int
  var measure: Int
  var tick: Int
}

/// A change of clef or key inside a bar, before the notes at its tick.
struct InnerChange {
  enum Content {
    case clef(Clef)
    case key(old: Int, new: Int)
  }
  var content: Content
  var staff: Int
  var tick: Int
}

/// One bar, or the bars of a multi-bar rest.
struct NotatedMeasure {
  var bars: Range<Int>
  /// In ticks.
  var length: Int
  var metre: Metre
  /// Whether the metre is printed at the beginning.
  var showsMetre: Bool
  /// The clef and the key in force at the beginning, for each staff.
  var clefs: [Clef]
  var keys: [Int]
  /// What was in force at the end of the measure before.
  var oldClefs: [Clef]
  var oldKeys: [Int]
  var inner: [InnerChange] = []
  /// Indices in ``NotatedPart/chords``, in the order of time.
  var chords: [Int] = []
  var marks: Range<Int> = 0..<0

  var isMultiRest: Bool { bars.count > 1 }
  var showsKey: Bool { keys != oldKeys }
  var showsClef: Bool { clefs != oldClefs }
}

/// A part as it is written: what must be drawn, without any position.
struct NotatedPart {
  var staves: Int
  var timebase: Timebase
  var measures: [NotatedMeasure] = []
  var chords: [NotatedChord] = []
  var notes: [NotatedNote] = []
  var lyrics: [NotatedLyric] = []
  var beams: [BeamGroup] = []
  var tuplets: [TupletGroup] = []
  var ties: [TieSpan] = []
  var slurs: [ChordSpan] = []
  var spans: [MarkSpan] = []
  var marks: [NotatedMark] = []
  /// How often each thing occurs that is not drawn.
  var missing: [String: Int] = [:]
}
