/// A phrase: notes on the steps of one or several bars. One player records it, and another player repeats and varies it.
///
/// Real-time: not safe.
public struct Phrase: Hashable, Sendable {
  /// A note of a phrase.
  public struct Note: Hashable, Sendable, BitwiseCopyable {
    /// The step at which the note begins, counted from the beginning of the phrase.
    public let step: UInt8
    /// The MIDI key, 0...127.
    public let key: UInt8
    /// The velocity: 3, 7, 11, ... 127. A phrase message transfers only the upper five of the seven bits. The lower two bits are
    /// always set.
    public let velocity: UInt8
    /// The length in steps, 1...``Phrase/longestNote``.
    public let length: UInt8

    /// Creates a note. Its velocity is rounded up to a value with the lower two bits set.
    ///
    /// Real-time: not safe.
    public init(step: UInt8, key: UInt8, velocity: UInt8, length: UInt8) {
      (self.step, self.key, self.velocity, self.length) = (step, key, velocity | 3, length)
    }
  }

  /// The greatest number of steps: eight bars of 4/4.
  public static let maximumSteps = 128
  /// The greatest number of notes: a phrase message contains at most this many.
  public static let maximumNotes = 26
  /// The greatest length of a note in steps.
  public static let longestNote = 32

  /// The length in steps, 1...``maximumSteps``.
  public let stepCount: Int
  /// The notes, 1...``maximumNotes``, in the order of their steps, and then of their keys. A step has at most one note of each key.
  public let notes: [Note]

  /// Creates a phrase of notes in any order.
  ///
  /// - Returns: nil if a number is out of its range, or if two notes have the same step and key.
  public init?(stepCount: Int, notes: [Note]) {
    let areValid = notes.allSatisfy { note in
      note.step < stepCount && note.key < 128 && note.velocity < 128
        && (1...Self.longestNote).contains(Int(note.length))
    }
    guard (1...Self.maximumSteps).contains(stepCount), (1...Self.maximumNotes).contains(notes.count), areValid else {
      return nil
    }
    let sorted = notes.sorted { ($0.step, $0.key) < ($1.step, $1.key) }
    let areUnique = zip(sorted, sorted.dropFirst()).allSatisfy { $0.step != $1.step || $0.key != $1.key }
    guard areUnique else { return nil }
    (self.stepCount, self.notes) = (stepCount, sorted)
  }
}
