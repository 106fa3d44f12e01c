public import Ensemble
import RTPMIDI
import Transports

/// The peerOptions that the player has set, for peers known by name or by address.
public struct PeerOptionsTable: Sendable {
  private var byPeer: [String: PeerOptions] = [:]

  public init() {}

  /// Sets the options for `peer`: what it calls itself, or `HOST` or `HOST:PORT` in numbers, an IPv6 address as it may
  /// be written.
  public subscript(peer: String) -> PeerOptions {
    get { byPeer[SocketAddress.canonical(peer)] ?? PeerOptions() }
    set { byPeer[SocketAddress.canonical(peer)] = newValue }
  }

  /// The options for the peer that calls itself `name` at `address`: what its name says goes before its port, and that before
  /// its host.
  func options(for name: String?, at address: SocketAddress) -> PeerOptions {
    var options = PeerOptions()
    for key in [address.hostDescription, address.description, name].compactMap({ $0 }) {
      guard let set = byPeer[key] else { continue }
      options.playsByStamps = set.playsByStamps ?? options.playsByStamps
      options.takesJournal = set.takesJournal ?? options.takesJournal
      options.asymmetry = set.asymmetry ?? options.asymmetry
    }
    return options
  }
}
