/// A written or sounding pitch: a letter, an alteration and an octave. The spelling matters: F sharp and G flat are different pitches with
/// one key of the keyboard.
public struct Pitch: Hashable, Sendable, BitwiseCopyable {
  /// The letter, 0...6 for C...B.
  public var step: Int8
  /// The alteration in hundredths of a semitone, -``maximumAlteration``...``maximumAlteration``: 100 for a sharp, -50 for a quarter tone.
  public var alteration: Int16
  /// The octave, 0...9. Octave 4 begins at middle C.
  public var octave: Int8

  /// The largest alteration in hundredths of a semitone: three semitones.
  public static let maximumAlteration: Int16 = 300
  /// The semitones above C of each letter.
  static let semitones = [0, 2, 4, 5, 7, 9, 11]

  /// Creates a pitch. Returns nil if a number is out of range.
  public init?(step: Int, alteration: Int = 0, octave: Int) {
    guard (0...6).contains(step), abs(alteration) <= Int(Pitch.maximumAlteration), (0...9).contains(octave) else {
      return nil
    }
    (self.step, self.alteration, self.octave) = (Int8(step), Int16(alteration), Int8(octave))
  }

  /// The position of the letter on a scale of letters: seven per octave, 28 for middle C.
  public var letter: Int { Int(octave) * 7 + Int(step) }

  /// The height in hundredths of a semitone; 6000 for middle C.
  public var height: Int { 100 * (12 * (Int(octave) + 1) + Pitch.semitones[Int(step)]) + Int(alteration) }

  /// The MIDI key number with the nearest height, halves up: 60 for middle C. May be outside 0...127.
  public var key: Int { (height + 50 >= 0 ? height + 50 : height - 49) / 100 }
}

extension Pitch: CustomStringConvertible {
  /// `F#4`, `Bb3`, `C4`; quarter tones as `C+50 4`.
  public var description: String {
    let letter = String(Array("CDEFGAB")[Int(step)])
    if alteration % 100 != 0 { return "\(letter)\(alteration > 0 ? "+" : "")\(alteration) \(octave)" }
    let sign = String(repeating: alteration > 0 ? "#" : "b", count: Int(abs(alteration) / 100))
    return "\(letter)\(sign)\(octave)"
  }
}

/// A distance between two pitches: letters and semitones. A minor third up is 2 letters and 3 semitones.
public struct Interval: Hashable, Sendable, BitwiseCopyable {
  /// The number of letters, -35...35.
  public var steps: Int8
  /// The number of semitones, -60...60.
  public var semitones: Int8

  public static let unison = Interval(uncheckedSteps: 0, semitones: 0)

  /// Creates an interval. Returns nil if a number is out of range, or if the semitones are more than three from the letters.
  public init?(steps: Int, semitones: Int) {
    guard (-35...35).contains(steps), (-60...60).contains(semitones) else { return nil }
    let (octave, step) = (steps >= 0 ? steps / 7 : (steps - 6) / 7, ((steps % 7) + 7) % 7)
    guard abs(12 * octave + Pitch.semitones[step] - semitones) <= 3 else { return nil }
    self.init(uncheckedSteps: Int8(steps), semitones: Int8(semitones))
  }

  /// The interval of `semitones` in its usual spelling: minor seconds, augmented fourths, and so on. Returns nil unless it is -60...60.
  public init?(semitones: Int) {
    let spelling = [0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6]
    let (octave, rest) = (semitones >= 0 ? semitones / 12 : (semitones - 11) / 12, ((semitones % 12) + 12) % 12)
    self.init(steps: 7 * octave + spelling[rest], semitones: semitones)
  }

  private init(uncheckedSteps: Int8, semitones: Int8) { (steps, self.semitones) = (uncheckedSteps, semitones) }

  /// The interval in the other direction.
  public var reversed: Interval { Interval(uncheckedSteps: -steps, semitones: -semitones) }

  /// The number of fifths by which the interval moves a key signature: a fifth up adds one sharp.
  ///
  /// A fifth is 4 letters and 7 semitones, an octave 7 letters and 12 semitones. The number of fifths in an interval, without its octaves,
  /// is the solution of these two equations.
  public var fifths: Int { 7 * Int(semitones) - 12 * Int(steps) }
}
