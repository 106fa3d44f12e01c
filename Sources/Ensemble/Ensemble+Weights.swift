public import PeerProtocol

// The network as its theory describes it.
extension Ensemble {
  /// A connection between this peer and another, in both directions: 25 for each of the four kinds of traffic that flows and
  /// is let in (Weinberg, "Interconnected Musical Networks", Computer Music Journal 29:2, 2005).
  ///
  /// Notes and modification flow always. Rhythm flows from the master while one plays, and from anybody while none does, as
  /// anybody may start. Activity flows while a rhythm plays, to the master and from it. With all gates open that is 75 while
  /// nobody plays; then 100 from the master, 75 to it, and 50 between followers.
  public struct Weights: Hashable, Sendable {
    /// 0...100: what the other does to this peer.
    public var inward: Int
    /// 0...100: what this peer does to the other; nil while the other has not said what it lets in.
    public var outward: Int?
  }

  /// The weights of the connections with the peer of this identity.
  public func weights(of peer: Identity) -> Weights {
    let inward = Gate.allCases.filter { flows($0, from: peer, to: identity) && admits($0, from: peer) }
    let theirs = acquaintances[peer]?.presence?.gates
    let outward = theirs.map { gates in Gate.allCases.filter { flows($0, from: identity, to: peer) && gates[$0] } }
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
