/// The notes of a chord as pitch classes, for a thread with real-time priority.
public struct ChordTones: Hashable, Sendable, BitwiseCopyable {
  /// The pitch class of the root in semitones above C, 0...11.
  public let root: UInt8
  /// The pitch class that the bass plays as root, 0...11.
  public let bass: UInt8
  /// The pitch classes of the chord: bit n is set if the chord contains the note n semitones above C, n = 0...11. At least one
  /// bit is set.
  public let pitchClasses: UInt16

  /// Creates the notes of a chord.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(root: UInt8, bass: UInt8, pitchClasses: UInt16) {
    (self.root, self.bass, self.pitchClasses) = (root, bass, pitchClasses)
  }

  /// Whether the key, 0...127, is a note of the chord in any octave.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func contains(_ key: UInt8) -> Bool { pitchClasses & (1 << UInt16(key % 12)) != 0 }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: Self, b: Self) -> Bool {
    a.root == b.root && a.bass == b.bass && a.pitchClasses == b.pitchClasses
  }
}
