import RTPMIDI

/// The remote peers whose invitations are accepted, and the discovered peers that the local peer invites (`--policy`). The policy does
/// not apply to hosts that the user tells the local peer to invite.
public enum ConnectionPolicy: Sendable, CustomStringConvertible {
  /// Every remote peer.
  case anyone
  /// The peers of the contact file.
  case contacts(ContactFile)
  /// No remote peer.
  case none

  /// A policy without its contacts. The raw value is the value of `--policy`.
  public enum Kind: String, Hashable, Sendable, CaseIterable { case anyone, contacts, none }

  public var kind: Kind {
    switch self {
    case .anyone: .anyone
    case .contacts: .contacts
    case .none: .none
    }
  }

  public var description: String { kind.rawValue }

  /// The contact file; nil for the other policies.
  var contacts: ContactFile? { if case .contacts(let contacts) = self { contacts } else { nil } }

  /// Whether an invitation from `address` by a peer that reports `name` is accepted.
  func admits(_ name: String?, from address: SocketAddress) -> Bool {
    switch self {
    case .anyone: true
    case .contacts(let contacts): contacts.include(name, at: address)
    case .none: false
    }
  }
}
