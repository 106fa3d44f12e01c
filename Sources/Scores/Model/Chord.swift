/// What one voice does from one onset on: several notes, one note, or a rest.
public struct Chord: Hashable, Sendable {
  /// Signs above or below a chord. The table of events uses those that change length, velocity or tempo.
  public struct Signs: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The signs in the order of their bits, with their names in MusicXML.
    public static let names = [
      "staccato", "tenuto", "accent", "strong-accent", "staccatissimo", "detached-legato", "spiccato", "stress",
      "unstress", "soft-accent", "breath-mark", "caesura", "scoop", "plop", "doit", "falloff", "trill-mark", "turn",
      "inverted-turn", "delayed-turn", "mordent", "inverted-mordent", "shake", "schleifer", "up-bow", "down-bow",
      "harmonic", "open-string", "stopped", "snap-pizzicato", "double-tongue", "triple-tongue", "thumb-position",
      "heel", "toe", "fermata", "arpeggiate", "non-arpeggiate",
    ]
    private static func sign(_ bit: UInt64) -> Signs { Signs(rawValue: 1 << bit) }
    public static let staccato = sign(0), tenuto = sign(1), accent = sign(2), strongAccent = sign(3)
    public static let staccatissimo = sign(4), detachedLegato = sign(5), spiccato = sign(6), stress = sign(7)
    public static let softAccent = sign(9), breathMark = sign(10), caesura = sign(11)
    public static let trill = sign(16), mordent = sign(20), upBow = sign(24), downBow = sign(25)
    public static let fermata = sign(35), arpeggio = sign(36)
  }

  /// A grace note: without a length of its own.
  public struct Grace: Hashable, Sendable, BitwiseCopyable {
    /// Whether the note has a slash (acciaccatura): it is as short as possible. Without it, it is leisurely (appoggiatura).
    public var hasSlash: Bool
    public init(hasSlash: Bool) { self.hasSlash = hasSlash }
  }

  /// The direction of a stem.
  public enum Stem: UInt8, Hashable, Sendable, CaseIterable {
    case up, down, double, absent

    /// The name in MusicXML.
    public var name: String {
      switch self {
      case .up: "up"
      case .down: "down"
      case .double: "double"
      case .absent: "none"
      }
    }
  }

  /// Identifies the chord or rest in its score. Assigned at import.
  public var id: UInt32 = 0
  /// The onset in quarter notes from the beginning of the bar.
  public var onset: Fraction
  /// The length in quarter notes; 0 for a grace note.
  public var length: Fraction
  /// The printed value; nil for a rest that fills the bar, or if the file does not say it.
  public var value: NoteValue?
  /// The ratio of the innermost tuplet, multiplied by that of the tuplets around it.
  public var ratio: TimeModification?
  /// The staff, from 1 at the top of the part.
  public var staff: UInt8 = 1
  /// The notes from the file in order; empty for a rest.
  public var notes: [Note] = []
  public var grace: Grace?
  /// Whether the chord is a cue: printed small, and not played.
  public var isCue = false
  /// Whether the chord or rest is printed.
  public var isVisible = true
  /// The stem that the file demands; nil if it leaves the direction to engraving. Transposition keeps it.
  public var stem: Stem?
  public var signs: Signs = []
  /// A dynamic that stands at the chord itself.
  public var dynamic: Dynamic?
  /// The number of strokes of a tremolo on one note, 0...8.
  public var tremolo: UInt8 = 0
  public var tuplets: [SpanMark] = []
  public var slurs: [SpanMark] = []
  /// The beams from the longest note value on.
  public var beams: [Beam] = []
  public var lyrics: [Lyric] = []

  public init(onset: Fraction, length: Fraction) { (self.onset, self.length) = (onset, length) }

  public var isRest: Bool { notes.isEmpty }
  /// The end in quarter notes from the beginning of the bar; nil if the sum does not fit.
  public var end: Fraction? { try? onset + length }
}

/// The chords and rests of one voice in one bar, in the order of their onsets. They do not overlap. Time that they leave out is silent.
public struct Voice: Hashable, Sendable {
  /// The number of the voice in its part, from 1.
  public var number: UInt8
  public var chords: [Chord]

  public init(number: UInt8, chords: [Chord] = []) { (self.number, self.chords) = (number, chords) }
}
