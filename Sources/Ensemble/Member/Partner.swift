public import RTPMIDI

/// The peer of one session.
public struct Partner: Sendable {
  public let info: SessionInfo
  /// What the player has set for it.
  public let manner: Manner
  /// Nil while it is not known to be a Tutti peer.
  public internal(set) var identity: Identity?
  /// Whether it sends recovery journals.
  var journals = false
  /// Whether those who watch have been told of it.
  var isTold = false
  /// What it said last of the rhythm before it was recognised: the answer that lets it be may have been lost, and it
  /// will not say that again before the next bar.
  var unheard: Statement?
  /// Whether the player has been told that it sends a clock which nobody keeps.
  var isClockNamed = false
  /// What it holds here.
  var held = HeldNotes()

  init(info: SessionInfo, manner: Manner) { (self.info, self.manner) = (info, manner) }
}
