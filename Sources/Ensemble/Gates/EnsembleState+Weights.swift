public import PeerProtocol

// The weights of the connections between peers, as in the literature on interconnected music.
extension EnsembleState {
  /// How strongly the local peer and a remote peer influence each other: one weight for each direction (Weinberg,
  /// "Interconnected Musical Networks", Computer Music Journal 29:2, 2005).
  ///
  /// There are four kinds of traffic, one for each ``Gate``. A kind adds 25 to the weight of a direction if this kind of traffic flows
  /// in the direction and the receiver's gate for this kind is open to the sender.
  ///
  /// Notes and modification always flow. Rhythm flows from the master while a rhythm plays, and from any peer while none
  /// plays, because any peer may start. Activity flows to and from the master while a rhythm plays. With all gates open, the
  /// weight is 75 while no rhythm plays. While one plays, it is 100 from the master, 75 to the master, and 50 between
  /// followers.
  public struct Weights: Hashable, Sendable {
    /// The weight that one kind of traffic adds.
    static let weightOfGate = 25

    /// The weight from the remote peer to the local peer, 0...100.
    public var inward: Int
    /// The weight from the local peer to the remote peer, 0...100; nil until the remote peer has reported its gates.
    public var outward: Int?
  }

  /// The weights of the connection with the peer of this identity.
  public func weights(of peer: Identity) -> Weights {
    let inward = Gate.allCases.filter { flows($0, from: peer, to: identity) && admits($0, from: peer) }
    let remoteGates = roster.slot(of: peer).flatMap { roster[$0].membership?.presence?.gates }
    let outward = remoteGates.map { gates in Gate.allCases.filter { flows($0, from: identity, to: peer) && gates[$0] } }
    return Weights(
      inward: Weights.weightOfGate * inward.count, outward: outward.map { Weights.weightOfGate * $0.count })
  }

  /// Whether traffic of this kind flows from `sender` to `receiver`, regardless of the gates.
  private func flows(_ gate: Gate, from sender: Identity, to receiver: Identity) -> Bool {
    // The master is nil while no rhythm plays.
    let master = role == .idle ? nil : claim?.identity
    return switch gate {
    case .notes, .modification: true
    case .rhythm: master == nil || master == sender
    case .activity: master != nil && (master == sender || master == receiver)
    }
  }
}
