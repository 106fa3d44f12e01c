/// A remote peer in session, as the user sees it.
public struct RosterEntry: Hashable, Sendable {
  public var peer: PeerReference
  /// The peer's MIDI channel, 1...16; nil if it has none.
  public var channel: Int?
  /// The weights of the connection with the peer; nil for a standard device.
  public var weights: EnsembleState.Weights?

  public init(peer: PeerReference, channel: Int?, weights: EnsembleState.Weights?) {
    (self.peer, self.channel, self.weights) = (peer, channel, weights)
  }
}
