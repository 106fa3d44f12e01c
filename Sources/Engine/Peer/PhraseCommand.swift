/// A command of the player that concerns a phrase: a melody on the steps of the rhythm.
public enum PhraseCommand: Hashable, Sendable {
  /// Records the notes of the player from the next bar on, for a number of bars.
  case record(bars: Int)
  /// Sends the recorded phrase to a peer.
  case send(to: String)
  /// Repeats the phrase that was received last, or the recorded phrase if none was received.
  case play
  /// Ends the repetition.
  case stop
  /// Repeats the next variation of the phrase: the phrase is moved within a scale, thinned and perhaps reversed.
  case vary
}
