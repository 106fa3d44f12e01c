import RTPMIDI

/// The remote peers whose invitations are accepted. The policy does not apply to invitations that the local peer sends.
public enum ConnectionPolicy: Sendable, CustomStringConvertible {
  case anyone
  case contacts(ContactFile)
  case none

  public var description: String {
    switch self {
    case .anyone: "anyone"
    case .contacts: "contacts"
    case .none: "none"
    }
  }

  /// Adds the addresses of a contact.
  mutating func add(_ host: HostResolver.Host) {
    guard case .contacts(var contacts) = self else { return }
    contacts.add(host)
    self = .contacts(contacts)
  }

  /// The hosts of the contacts, whose names may have to be resolved.
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
