import MusicalTime

/// A half-open invitation: an invitation of a remote peer that was accepted on the control port. The second invitation
/// of the peer, which arrives on the data port, has not arrived yet.
struct HalfOpenInvitation {
  let token: UInt32
  let ssrc: UInt32
  /// The SSRC in the answers to the invitation.
  let localSSRC: UInt32
  let name: String?
  /// The address of the peer's control port.
  let control: SocketAddress
  /// The instant at which the invitation first arrived.
  let since: Instant
  /// The instant at which the invitation is dropped.
  var expires: Instant

  init(_ command: SessionCommand, answeredAs localSSRC: UInt32, from control: SocketAddress, at now: Instant) {
    (token, ssrc, name, self.control) = (command.token, command.ssrc, command.name, control)
    self.localSSRC = localSSRC
    since = now
    expires = now + Self.lifetime
  }

  /// The time from the last arrival of the invitation until it is dropped. It exceeds the 12 s for which an initiator
  /// repeats its invitation.
  static var lifetime: Nanoseconds { .seconds(15) }
}
