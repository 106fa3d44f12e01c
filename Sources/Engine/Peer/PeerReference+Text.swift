import Ensemble
import PeerProtocol

// The names of peers in log lines.
extension PeerReference {
  /// The name of the peer, or its address if it reports no name.
  var label: String { name ?? address?.description ?? "a peer" }

  /// The name and the address of the peer.
  var place: String { (name ?? "a peer") + (address.map { " at \($0)" } ?? "") }

  /// The host of the peer, by which the log lines are counted that a host can cause under many names.
  var host: String { address?.hostDescription ?? label }
}

extension PeerCore {
  /// The name of the peer with this identity; the identity itself if the name is not known.
  func name(of identity: Identity) -> String { reference(to: identity).name ?? identity.description }

  /// The reference to the peer with this identity.
  func reference(to identity: Identity) -> PeerReference {
    roster[identity]?.reference ?? PeerReference(name: nil, identity: identity)
  }

  /// The text of `error` for the player, with the name of the peer that the error concerns.
  func description(of error: CommandError) -> String { error.description(naming: { name(of: $0) }) }
}
