public import Ensemble
import RTPMIDI
import Transports

/// The peer options that the user has configured, by name or by address.
///
/// Real-time: not safe.
public struct PeerOptionsTable: Sendable {
  /// The options by name or by address. Addresses are in the form of ``SocketAddress/canonical(_:)``.
  private var byPeer: [String: PeerOptions] = [:]

  public init() {}

  /// The options that the user has set for `peer`: the name that a peer reports, or a numeric address as `HOST` or `HOST:PORT`.
  /// An IPv6 address can be written in any form.
  public subscript(peer: String) -> PeerOptions {
    get { byPeer[SocketAddress.canonical(peer)] ?? PeerOptions() }
    set { byPeer[SocketAddress.canonical(peer)] = newValue }
  }

  /// Returns the options for the peer with this name and address. Options by name take precedence over options by `HOST:PORT`.
  /// Options by `HOST:PORT` take precedence over options by `HOST`.
  func options(for name: String?, at address: SocketAddress) -> PeerOptions {
    var options = PeerOptions()
    // In the order of ascending precedence: later options replace earlier ones.
    for key in [address.hostDescription, address.description, name].compactMap({ $0 }) {
      guard let set = byPeer[key] else { continue }
      options.playsByStamps = set.playsByStamps ?? options.playsByStamps
      options.takesJournal = set.takesJournal ?? options.takesJournal
      options.asymmetry = set.asymmetry ?? options.asymmetry
      options.clockOffset = set.clockOffset ?? options.clockOffset
    }
    return options
  }
}
