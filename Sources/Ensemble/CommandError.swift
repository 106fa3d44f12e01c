import PeerProtocol

/// Why a player's command was not carried out.
public enum CommandError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rhythm belongs to the peer with this identity until it stops it.
  case belongsTo(Identity)
  /// This peer plays already.
  case alreadyPlaying
  /// Nobody plays.
  case nothingPlays
  /// The rhythm is controlled by the peer with this name or identity alone.
  case ledBy(String)
  /// Nobody has offered the rhythm, or too long ago.
  case nothingOffered
  /// The peer with this identity is not in session.
  case isAbsent(Identity)
  /// This peer's rhythm gate is closed to the one with this identity, so it would not follow it.
  case gateIsClosed(Identity)
  /// Others have started or taken over since: a higher term has been seen.
  case isOver

  public var description: String {
    switch self {
    case .belongsTo(let identity): "the rhythm belongs to \(identity); wait until that peer stops it"
    case .alreadyPlaying: "the rhythm plays already; stop it first"
    case .nothingPlays: "no rhythm plays; start one first"
    case .ledBy(let leader): "\(leader) leads the session; wait for it to start, or open the rhythm gate to everybody"
    case .nothingOffered: "nobody has offered the rhythm in the last 30 s; ask its master to"
    case .isAbsent(let identity): "\(identity) is not in session; connect to it first"
    case .gateIsClosed(let identity): "this peer's rhythm gate is closed to \(identity); open it first"
    case .isOver: "the rhythm has gone on without this peer; follow it, or start when nobody plays"
    }
  }
}
