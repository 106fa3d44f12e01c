import RTPMIDI
import Transports

/// Whose invitations a peer accepts. Whom it invites itself is not asked.
public enum ConnectionPolicy: Sendable, CustomStringConvertible {
  case anyone
  case contacts(Contacts)
  case none

  public var description: String {
    switch self {
    case .anyone: "anyone"
    case .contacts: "contacts"
    case .none: "none"
    }
  }

  /// Whether a peer may come in that calls itself `name` and invites from `address`.
  func admits(_ name: String?, from address: SocketAddress) -> Bool {
    switch self {
    case .anyone: true
    case .contacts(let contacts): contacts.include(name, at: address)
    case .none: false
    }
  }
}
