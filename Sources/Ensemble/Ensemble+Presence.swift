public import MIDI
public import MusicalTime

// What peers say of themselves.
extension Ensemble {
  /// The MIDI channel this peer claims: the lowest free of 2...9 and 11...16; nil when there is none left.
  public var channel: Channel? { nil }

  /// A connection between this peer and another, in both directions.
  public struct Weights: Hashable, Sendable {
    /// 0...100: what the other does to this peer.
    public var inward: Int
    /// 0...100: what this peer does to the other; nil while the other has not said what it lets in.
    public var outward: Int?
  }

  /// The weights of the connections with the peer of this identity.
  public func weights(of peer: Identity) -> Weights { Weights(inward: 0, outward: nil) }

  /// Whether the gate is open for the peer with this identity.
  func admits(_ gate: Gate, from peer: Identity) -> Bool {
    gates.opening(for: peer, named: acquaintances[peer]?.name)[gate]
  }

  /// What the peer with identity `sender` says of itself.
  public mutating func received(_ presence: Presence, from sender: Identity, at now: Instant) {
    guard presence.identity == sender, sender != identity, acquaintances[sender]?.heard != nil else {
      rejected += 1
      return
    }
    heard(sender, at: now)
    acquaintances[sender]?.presence = presence
    heardClaim(presence.claim, from: sender, at: now)
  }
}
