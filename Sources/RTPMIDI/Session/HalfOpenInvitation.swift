import MusicalTime

/// An invitation that was accepted on the control port, while that on the data port is awaited.
struct HalfOpenInvitation<Address: Hashable & Sendable> {
  let token: UInt32
  let ssrc: UInt32
  let name: String?
  let control: Address
  let since: Instant

  /// An initiator tries for 12 s; a little later it is forgotten.
  var expires: Instant { since + .seconds(15) }
}
