import Rhythm

/// The phrases of a peer.
struct PeerPhrases {
  /// The phrase that the player has recorded last.
  var recorded: Phrase?
  /// The phrase that was received last, and the name of its player.
  var received: (phrase: Phrase, sender: String)?
  /// The number of the variation that plays; 0: the phrase itself.
  var variation: UInt32 = 0
  /// Whether a phrase is repeated.
  var isPlaying = false

  /// The phrase that is repeated, and its name for the player.
  var chosen: (phrase: Phrase, name: String)? {
    if let received { return (received.phrase, "phrase of \(received.sender)") }
    return recorded.map { ($0, "your phrase") }
  }
}
