import MusicalTime

/// An invitation that was accepted on the control port, and whose second part on the data port has not arrived yet.
struct HalfOpenInvitation {
  let token: UInt32
  let ssrc: UInt32
  let name: String?
  let control: SocketAddress
  /// The instant at which the invitation first arrived.
  let since: Instant
  /// The instant at which the invitation is dropped: 15 s after the last arrival, because an initiator tries for 12 s.
  var expires: Instant

  init(_ command: SessionCommand, from control: SocketAddress, at now: Instant) {
    (token, ssrc, name, self.control) = (command.token, command.ssrc, command.name, control)
    since = now
    expires = now + .seconds(15)
  }
}
