public import PeerProtocol

/// A remote peer in session, or one that is heard through another peer, as the user sees it.
public struct RosterEntry: Hashable, Sendable {
  public var peer: PeerReference
  /// The peer's MIDI channel, 1...16; nil if it has none.
  public var channel: Int?
  /// The weights of the connection with the peer; nil for a standard device.
  public var weights: EnsembleState.Weights?
  /// The member that forwards the messages of the peer; nil if the local peer is in session with the peer.
  public var relay: Identity?

  public init(peer: PeerReference, channel: Int?, weights: EnsembleState.Weights?, relay: Identity? = nil) {
    (self.peer, self.channel, self.weights, self.relay) = (peer, channel, weights, relay)
  }
}
