import RTPMIDI
import Transports

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

  /// Whether an invitation from `address` by a peer that reports `name` is accepted.
  func admits(_ name: String?, from address: SocketAddress) -> Bool {
    switch self {
    case .anyone: true
    case .contacts(let contacts): contacts.include(name, at: address)
    case .none: false
    }
  }
}
