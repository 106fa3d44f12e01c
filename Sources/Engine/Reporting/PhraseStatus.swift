/// The phrases of a peer (melodies on the steps of the rhythm), for another thread that shows them.
public struct PhraseStatus: Hashable, Sendable {
  /// The number of notes of the phrase that the local player has recorded last; nil if there is none.
  public var recorded: Int?
  /// The number of notes of the phrase that was received last; nil if there is none.
  public var received: Int?
  /// The name of the player who has sent the received phrase.
  public var sender: String?
  /// The number of the variation that is repeated (``PhraseCommand/vary``); 0: the phrase itself. Nil if no phrase is repeated.
  public var variation: UInt32?
}

extension PeerPhrases {
  /// The state for the observer of the peer.
  var status: PhraseStatus {
    PhraseStatus(
      recorded: recorded?.notes.count, received: received?.phrase.notes.count, sender: received?.sender,
      variation: isPlaying ? variation : nil)
  }
}
