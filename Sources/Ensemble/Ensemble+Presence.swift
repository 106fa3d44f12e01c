public import MIDI

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
}
