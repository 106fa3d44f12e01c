/// A dynamic: how loud the notes are from here on, or one accented note.
public enum Dynamic: UInt8, Hashable, Sendable, CaseIterable {
  case pppp, ppp, pp, p, mp, mf, f, ff, fff, ffff
  // One note, and then the loudness of before or the second letter.
  case sf, sfz, sffz, fz, rf, rfz, fp, sfp, sfpp, pf, n

  /// The name in MusicXML.
  public var name: String { "\(self)" }

  /// The velocity from here on, 1...127. nil if only one note is accented.
  public var velocity: Int? {
    switch self {
    case .n: 1
    case .pppp: 10
    case .ppp: 20
    case .pp, .sfpp: 33
    case .p, .fp, .sfp: 49
    case .mp: 64
    case .mf: 80
    case .f, .pf: 96
    case .ff: 112
    case .fff: 120
    case .ffff: 127
    case .sf, .sfz, .sffz, .fz, .rf, .rfz: nil
    }
  }

  /// The velocity of the note at the dynamic, if it differs from that of the following notes.
  public var accent: Int? {
    switch self {
    case .sf, .sfz, .fz, .sfp, .sfpp, .fp: 112
    case .sffz: 124
    case .rf, .rfz: 104
    default: nil
    }
  }
}

/// A mark of one part at a position in a bar: dynamics, words and lines.
public struct Mark: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    case dynamic(Dynamic)
    /// The beginning of a hairpin: louder or softer up to its end.
    case hairpin(isCrescendo: Bool, number: UInt8)
    case hairpinEnd(number: UInt8)
    /// Printed words that change nothing in the table of events, except `cresc.`, `dim.` and `pizz.`
    case words(String)
    case rehearsal(String)
    case pedal(isDown: Bool)
    /// The beginning of an octave line. `octaves` is 1 for 8va: the notes are printed an octave lower than they sound.
    case octaveLine(octaves: Int8)
    case octaveLineEnd
  }

  /// The position in quarter notes from the beginning of the bar.
  public var offset: Fraction
  /// The staff, from 1.
  public var staff: UInt8
  public var content: Content

  public init(offset: Fraction, staff: UInt8 = 1, _ content: Content) {
    (self.offset, self.staff, self.content) = (offset, staff, content)
  }
}

/// A key signature.
public struct Key: Hashable, Sendable, BitwiseCopyable {
  public enum Mode: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case none, major, minor, dorian, phrygian, lydian, mixolydian, aeolian, ionian, locrian
  }

  /// The number of sharps, or of flats if negative: -``maximumFifths``...``maximumFifths``.
  public var fifths: Int8
  public var mode: Mode

  /// Files contain theoretical keys such as G sharp major, with 8 sharps.
  public static let maximumFifths: Int8 = 14

  public init(fifths: Int8, mode: Mode) { (self.fifths, self.mode) = (fifths, mode) }
}

/// A clef.
public struct Clef: Hashable, Sendable, BitwiseCopyable {
  public enum Sign: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case g, f, c, percussion, tab, none
  }

  public var sign: Sign
  /// The line of the staff from the bottom, 1...9.
  public var line: Int8
  /// Octaves up (or down, if negative) by which the notes sound from their places, -3...3.
  public var octaves: Int8

  public init(_ sign: Sign, line: Int8, octaves: Int8 = 0) {
    (self.sign, self.line, self.octaves) = (sign, line, octaves)
  }
}

/// A change of the key, the clef or the transposition of a part.
public struct Change: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    case key(Key)
    case clef(Clef)
    /// The interval from the written to the sounding pitch. -2 semitones for a clarinet in B flat.
    case transposition(Interval)
  }

  /// The position in quarter notes from the beginning of the bar.
  public var offset: Fraction
  /// The staff, from 1; 0 for all staves of the part.
  public var staff: UInt8
  public var content: Content

  public init(offset: Fraction, staff: UInt8, _ content: Content) {
    (self.offset, self.staff, self.content) = (offset, staff, content)
  }
}
