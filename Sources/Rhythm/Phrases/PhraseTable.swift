/// A phrase (``Phrase``) in the form that a real-time thread plays: one trivial value of fixed size without references.
public struct PhraseTable: Sendable, BitwiseCopyable {
  /// The notes, in the order of their steps. The first ``noteCount`` elements are used.
  let notes: InlineArray<26, Phrase.Note>
  /// The number of notes, 1...26.
  let noteCount: Int
  /// The length in steps, 1...128.
  let stepCount: Int64

  /// Creates the table of `phrase`.
  ///
  /// Real-time: not safe.
  public init(_ phrase: Phrase) {
    notes = InlineArray { phrase.notes[min($0, phrase.notes.count - 1)] }
    (noteCount, stepCount) = (phrase.notes.count, Int64(phrase.stepCount))
  }
}
