import Rhythm

/// The phrases that the player of a peer has recorded and received, and the state of their repetition. A phrase is a melody on the
/// steps of the rhythm.
struct PeerPhrases {
  /// The phrase that the player has recorded last.
  var recorded: Phrase?
  /// The phrase that was received last, and the name of the peer that sent the phrase.
  var received: (phrase: Phrase, sender: String)?
  /// The number of the variation that was played last: the phrase moved within a scale, thinned and perhaps reversed. 0: the phrase
  /// itself.
  var variation: UInt32 = 0
  /// Whether a phrase is repeated.
  var isPlaying = false

  /// The phrase that `phrase play` repeats, and its name for messages: the received phrase if there is one, otherwise the recorded
  /// one.
  var chosen: (phrase: Phrase, name: String)? {
    if let received { return (received.phrase, "phrase of \(received.sender)") }
    return recorded.map { ($0, "your phrase") }
  }
}
