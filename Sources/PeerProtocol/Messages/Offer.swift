/// The master's offer to hand the rhythm over. The peer that accepts makes a new claim and continues in phase.
public struct Offer: Hashable, Sendable {
  /// The master's claim, under which the offered rhythm is played.
  public var claim: Claim
  /// Whether the master is about to leave. If so, the receiver takes over at once, unless its player does not want to
  /// take over. If not, the player of the receiver decides.
  public var isParting: Bool

  public init(claim: Claim, isParting: Bool) { (self.claim, self.isParting) = (claim, isParting) }
}
