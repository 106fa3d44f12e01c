public import Ensemble
import RTPMIDI
import Transports

/// The manners that the player has set, for peers known by name or by address.
public struct Manners: Sendable {
  private var byPeer: [String: Manner] = [:]

  public init() {}

  /// Sets the manner for `peer`: what it calls itself, or `HOST` or `HOST:PORT` in numbers, an IPv6 address as it may
  /// be written.
  public subscript(peer: String) -> Manner {
    get { byPeer[SocketAddress.canonical(peer)] ?? Manner() }
    set { byPeer[SocketAddress.canonical(peer)] = newValue }
  }

  /// The manner for the peer that calls itself `name` at `address`: what its name says goes before its port, and that before
  /// its host.
  func manner(for name: String?, at address: SocketAddress) -> Manner {
    var manner = Manner()
    for key in [address.hostDescription, address.description, name].compactMap({ $0 }) {
      guard let set = byPeer[key] else { continue }
      manner.playsByStamps = set.playsByStamps ?? manner.playsByStamps
      manner.takesJournal = set.takesJournal ?? manner.takesJournal
      manner.asymmetry = set.asymmetry ?? manner.asymmetry
    }
    return manner
  }
}
