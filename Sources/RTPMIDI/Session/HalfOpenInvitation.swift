import MusicalTime

/// An invitation that was accepted on the control port, while that on the data port is awaited.
struct HalfOpenInvitation {
  let token: UInt32
  let ssrc: UInt32
  let name: String?
  let control: SocketAddress
  /// When it came for the first time.
  let since: Instant
  /// An initiator tries for 12 s; a little later it is forgotten.
  var expires: Instant

  init(_ command: SessionCommand, from control: SocketAddress, at now: Instant) {
    (token, ssrc, name, self.control) = (command.token, command.ssrc, command.name, control)
    since = now
    expires = now + .seconds(15)
  }
}
