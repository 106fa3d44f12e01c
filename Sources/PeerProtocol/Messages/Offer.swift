/// The master offers the rhythm to a peer: who takes it claims it anew, and goes on in phase.
public struct Offer: Hashable, Sendable {
  /// The master's, of the rhythm that is offered.
  public var claim: Claim
  /// Whether the master is about to leave: then the receiver takes the rhythm at once, unless its player does not want it.
  public var isParting: Bool

  public init(claim: Claim, isParting: Bool) { (self.claim, self.isParting) = (claim, isParting) }
}
