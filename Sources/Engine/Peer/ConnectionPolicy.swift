import RTPMIDI

/// The remote peers whose invitations are accepted (`--policy`). The policy does not apply to invitations that the local
/// peer sends.
public enum ConnectionPolicy: Sendable, CustomStringConvertible {
  /// Every remote peer.
  case anyone
  /// The peers of the contact file.
  case contacts(ContactFile)
  /// No remote peer.
  case none

  public var description: String {
    switch self {
    case .anyone: "anyone"
    case .contacts: "contacts"
    case .none: "none"
    }
  }

  /// Adds the addresses of a `host` line of the contact file. Has no effect with another policy.
  mutating func add(_ host: HostResolver.Host) {
    guard case .contacts(var contacts) = self else { return }
    contacts.add(host)
    self = .contacts(contacts)
  }

  /// The hosts of the contact file as the user has written them: names that must be resolved, or addresses.
  var hosts: [String] { if case .contacts(let contacts) = self { contacts.hosts } else { [] } }

  /// Whether an invitation from `address` by a peer that reports `name` is accepted.
  func admits(_ name: String?, from address: SocketAddress) -> Bool {
    switch self {
    case .anyone: true
    case .contacts(let contacts): contacts.include(name, at: address)
    case .none: false
    }
  }
}
