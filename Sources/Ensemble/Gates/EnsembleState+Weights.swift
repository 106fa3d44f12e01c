public import PeerProtocol

// The connections as the literature on interconnected music describes them.
extension EnsembleState {
  /// The weights of the connection between the local peer and a remote peer, one per direction: 25 for each of the four kinds
  /// of traffic that flows and that the gate of the receiver admits (Weinberg, "Interconnected Musical Networks", Computer
  /// Music Journal 29:2, 2005).
  ///
  /// Notes and modification always flow. Rhythm flows from the master while a rhythm plays, and from any peer while none
  /// plays, because any peer may start. Activity flows to and from the master while a rhythm plays. With all gates open, the
  /// weight is 75 while no rhythm plays. While one plays, it is 100 from the master, 75 to the master, and 50 between
  /// followers.
  public struct Weights: Hashable, Sendable {
    /// 0...100: from the remote peer to the local peer.
    public var inward: Int
    /// 0...100: from the local peer to the remote peer; nil until the remote peer has reported its gates.
    public var outward: Int?
  }

  /// The weights of the connection with the peer of this identity.
  public func weights(of peer: Identity) -> Weights {
    let inward = Gate.allCases.filter { flows($0, from: peer, to: identity) && admits($0, from: peer) }
    let remoteGates = roster.slot(of: peer).flatMap { roster[$0].membership?.presence?.gates }
    let outward = remoteGates.map { gates in Gate.allCases.filter { flows($0, from: identity, to: peer) && gates[$0] } }
    return Weights(inward: 25 * inward.count, outward: outward.map { 25 * $0.count })
  }

  private func flows(_ gate: Gate, from sender: Identity, to receiver: Identity) -> Bool {
    let master = role == .idle ? nil : claim?.identity
    return switch gate {
    case .notes, .modification: true
    case .rhythm: master == nil || master == sender
    case .activity: master != nil && (master == sender || master == receiver)
    }
  }
}
