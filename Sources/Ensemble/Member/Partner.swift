public import PeerProtocol
public import RTPMIDI

/// The peer of one session.
public struct Partner: Sendable {
  public let info: SessionInfo
  /// What the player has set for it.
  public let options: PeerOptions
  /// Nil while it is not known to be a Tutti peer.
  public internal(set) var identity: Identity?
  /// Whether it was asked whether it is one, and has not answered in time.
  var isForeign = false
  /// Whether it may be anybody still.
  var isUnknown: Bool { identity == nil && !isForeign }
  /// Whether it sends recovery journals.
  var journals = false
  /// Whether those who watch have been told of it.
  var isTold = false
  /// Whether the player has been told that it sends a clock which nobody keeps.
  var isClockNamed = false

  init(info: SessionInfo, options: PeerOptions) { (self.info, self.options) = (info, options) }
}
