import Scores

/// The spelling of MIDI keys.
enum PitchSpelling {
  /// The letters in the order of fifths from F.
  private static let letters = [3, 0, 4, 1, 5, 2, 6]

  /// The pitch of a key in a key signature: the notes of the scale, two lowered and three raised ones. In C major, these are C C# D Eb E F
  /// F# G G# A Bb B. The fifths of all twelve notes lie between -3 and 8 from the keynote (compare Temperley, The Cognition of Basic
  /// Musical Structures, chapter 5).
  static func pitch(of key: UInt8, inKeyOf fifths: Int) -> Pitch? {
    let pitchClass = Int(key) % 12
    // 7 semitones are a fifth, and 7 * 7 = 49 = 1 modulo 12, so the fifth of a pitch class is 7 times the pitch class.
    let base = pitchClass * 7 % 12
    let lowest = fifths - 3
    let fifth = lowest + ((base - lowest) % 12 + 12) % 12
    // C is fifth 0 and place 1 of the letters from F.
    let place = fifth + 1
    let (octave, index) = (place >= 0 ? place / 7 : (place - 6) / 7, ((place % 7) + 7) % 7)
    let step = letters[index]
    let natural = [0, 2, 4, 5, 7, 9, 11][step] + octave
    // The octave that brings the letter with its accidental to the key.
    guard (Int(key) - natural) % 12 == 0 else { return nil }
    return Pitch(step: step, alteration: 100 * octave, octave: (Int(key) - natural) / 12 - 1)
  }
}

/// The places of drums on a staff, as drum notation has them (Norman Weinberg, Guide to Standardized Drumset Notation, 1998).
enum DrumPlaces {
  private static let places: [UInt8: (Int, Int)] = [
    35: (3, 4), 36: (3, 4), 37: (0, 5), 38: (0, 5), 39: (0, 5), 40: (0, 5), 41: (4, 4), 43: (5, 4), 45: (6, 4),
    47: (1, 5),
    48: (2, 5), 50: (3, 5), 42: (4, 5), 46: (4, 5), 44: (1, 4), 49: (5, 5), 57: (5, 5), 51: (3, 5), 59: (3, 5),
    53: (3, 5),
  ]

  static func place(of key: UInt8) -> Pitch {
    let (step, octave) = places[key] ?? (6, 4)
    return Pitch(step: step, octave: octave) ?? Pitch(step: 6, octave: 4)!
  }
}
