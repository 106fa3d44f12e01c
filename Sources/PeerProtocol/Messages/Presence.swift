public import MIDI

/// The report of a Tutti peer about itself, sent to each other peer a few times per second, and at once on a change. It is
/// sufficient to reunite peers after an interruption of the network.
public struct Presence: Hashable, Sendable {
  /// The identity of the sender, which must be the peer of the session.
  public var identity: Identity
  /// The claim of the rhythm that the sender takes part in; nil while idle.
  public var claim: Claim?
  /// The claimed MIDI channel; nil if none is left.
  public var channel: Channel?
  /// The gates that are open for the receiver of this message.
  public var gates: GateSet
  /// Whether the sender would take over if the master disappeared.
  public var takesOver: Bool
  /// The activity of the sender's player, 0...127. The sender also sends it as Expression (CC 11) on a change, but this single
  /// message may be lost, or may arrive before the receiver has recognised the sender.
  public var activity: UInt8

  public init(
    identity: Identity, claim: Claim?, channel: Channel?, gates: GateSet, takesOver: Bool, activity: UInt8 = 0
  ) {
    self.identity = identity
    self.claim = claim
    self.channel = channel
    self.gates = gates
    self.takesOver = takesOver
    self.activity = min(activity, 127)
  }
}
