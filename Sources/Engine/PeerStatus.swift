public import Ensemble
public import MusicalTime

/// What a peer shows of itself while it plays.
public struct PeerStatus: Sendable {
  public var role: Role
  public var tempo: Tempo
  /// Bar and beat, counted from one; where it would go on while nobody plays.
  public var bar: Int64
  public var beat: Int64
  /// Peers in session.
  public var peers: Int
  /// The master's clock minus the own, nil when there is no master or nothing is known.
  public var clockOffset: Nanoseconds?
  public var activity: UInt8
}
