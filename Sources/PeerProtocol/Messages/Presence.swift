public import MIDI

/// What a Tutti peer says of itself to another, some times a second and at once when something changes: enough to put
/// right whatever a network that failed for a while has set apart.
public struct Presence: Hashable, Sendable {
  /// Who says it; it has to be the session's peer.
  public var identity: Identity
  /// Of the rhythm it takes part in, nil while idle.
  public var claim: Claim?
  /// The MIDI channel it claims, nil when there is none left.
  public var channel: Channel?
  /// What it lets the receiver of this message do to it.
  public var gates: GateSet
  /// Whether it would take the rhythm over if the master vanished.
  public var takesOver: Bool
  /// Its player's activity, 0...127, as it tells it by Expression on change: a level told once may get lost, or come before
  /// the receiver knows who tells it.
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
