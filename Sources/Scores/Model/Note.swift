/// One note of a ``Chord``.
public struct Note: Hashable, Sendable, BitwiseCopyable {
  /// The sound of a note.
  public enum Sound: Hashable, Sendable, BitwiseCopyable {
    /// A written pitch. The transposition of the part leads to the sounding pitch.
    case pitch(Pitch)
    /// A stroke of a percussion instrument: the place on the staff, and the index in ``Part/instruments``.
    case stroke(place: Pitch, instrument: UInt8)
  }

  /// A printed accidental.
  public enum Accidental: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case none, sharp, flat, natural, doubleSharp, doubleFlat, naturalSharp, naturalFlat, quarterFlat, quarterSharp,
      threeQuartersFlat, threeQuartersSharp, tripleSharp, tripleFlat
  }

  /// The form of a notehead.
  public enum Head: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case normal, cross, diamond, triangle, slash, square, circleCross, none
  }

  /// Identifies the note in its score. Assigned at import; survives transposition and relayout.
  public var id: UInt32 = 0
  public var sound: Sound
  /// Whether the note continues the previous note of the same pitch, and is not struck again.
  public var continuesTie = false
  /// Whether the note continues into the next note of the same pitch.
  public var startsTie = false
  public var accidental = Accidental.none
  public var head = Head.normal

  public init(_ sound: Sound) { self.sound = sound }
}

/// A syllable under a note.
public struct Lyric: Hashable, Sendable {
  /// The position of a syllable in its word.
  public enum Position: UInt8, Hashable, Sendable, CaseIterable {
    case single, begin, middle, end
  }

  /// The verse, 1...``maximumVerse``.
  public var verse: UInt8
  public var position: Position
  /// The syllable, at most ``Score/Limits/text`` octets. Several syllables under one note are joined by U+203F.
  public var text: String
  /// Whether a line after the syllable shows that it lasts.
  public var isExtended: Bool

  public static let maximumVerse = 32

  public init(verse: UInt8, position: Position, text: String, isExtended: Bool) {
    (self.verse, self.position, self.text, self.isExtended) = (verse, position, text, isExtended)
  }
}
