import PeerProtocol

/// The reason why a command of the player was not executed.
public enum CommandError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The peer with this identity is the master. Only the master may stop the rhythm or change it.
  case belongsTo(Identity)
  /// The local peer is already the master.
  case alreadyPlaying
  /// No rhythm plays.
  case nothingPlays
  /// Only the peer with this name or identity may control the rhythm.
  case ledBy(String)
  /// No peer has offered the rhythm in the last 30 s.
  case nothingOffered
  /// The peer with this identity is not in session.
  case isAbsent(Identity)
  /// The rhythm gate of the local peer is closed to the peer with this identity, so the local peer would not follow it.
  case gateIsClosed(Identity)
  /// A higher term has been seen: another peer has started or taken over the rhythm since.
  case isOver

  public var description: String {
    switch self {
    case .belongsTo(let identity): "the rhythm: \(identity) is its master; wait until that peer stops it"
    case .alreadyPlaying: "the rhythm: it plays already; stop it first"
    case .nothingPlays: "the rhythm: none plays; start one first"
    case .ledBy(let leader):
      "the rhythm: only \(leader) may control it; wait until it starts, or open the rhythm gate to all peers"
    case .nothingOffered: "the rhythm: no offer in the last 30 s; ask its master to offer it"
    case .isAbsent(let identity): "\(identity): not in session; connect to it first"
    case .gateIsClosed(let identity): "\(identity): the rhythm gate of this peer is closed to it; open it first"
    case .isOver: "the rhythm: it has continued without this peer; follow it, or start when no rhythm plays"
    }
  }
}
