import MusicalTime

/// The invitations that wait for their second half, 64 at most, 16 of one host: whoever sends them by the thousand
/// crowds out its own, not those of others.
struct HalfOpenInvitations {
  static var limit: Int { 64 }
  static var limitOfHost: Int { 16 }

  /// The oldest first.
  private var invitations: [HalfOpenInvitation] = [] { didSet { deadline = invitations.map(\.expires).min() } }

  var count: Int { invitations.count }

  /// When the next is to be forgotten: asked for at every packet, while they change seldom.
  private(set) var deadline: Instant?

  /// Remembers an invitation from a control port; a new one of the same peer takes the old one's place.
  ///
  /// - Returns: whether another had to be forgotten for it, the oldest of that host or of all.
  mutating func open(_ command: SessionCommand, from control: SocketAddress, at now: Instant) -> Bool {
    if let place = invitations.firstIndex(where: { $0.ssrc == command.ssrc && $0.control == control }) {
      guard invitations[place].token != command.token else {
        invitations[place].expires = now + .seconds(15)
        return false
      }
      invitations.remove(at: place)
    }
    var isCrowded = false
    if invitations.count(where: { $0.control.isSameHost(as: control) }) == Self.limitOfHost,
      let place = invitations.firstIndex(where: { $0.control.isSameHost(as: control) })
    {
      invitations.remove(at: place)
      isCrowded = true
    } else if invitations.count == Self.limit {
      invitations.removeFirst()
      isCrowded = true
    }
    invitations.append(HalfOpenInvitation(command, from: control, at: now))
    return isCrowded
  }

  /// Takes out the one that an invitation at the data port completes: of the same ssrc, host and token, or of another
  /// token if there is none, as PipeWire and midimonster draw a new one for each port.
  mutating func take(for command: SessionCommand, from data: SocketAddress) -> HalfOpenInvitation? {
    let isOfPeer = { (half: HalfOpenInvitation) in
      half.ssrc == command.ssrc && half.control.isSameHost(as: data)
    }
    let place =
      invitations.firstIndex { isOfPeer($0) && $0.token == command.token } ?? invitations.lastIndex(where: isOfPeer)
    return place.map { invitations.remove(at: $0) }
  }

  /// Takes back what the peer with its control port at `control` has begun. Returns whether it had.
  mutating func withdraw(ssrc: UInt32, control: SocketAddress) -> Bool {
    guard let place = invitations.firstIndex(where: { $0.ssrc == ssrc && $0.control == control }) else { return false }
    invitations.remove(at: place)
    return true
  }

  /// Forgets those whose time has come. Returns how many.
  mutating func expire(at now: Instant) -> Int {
    guard let deadline, deadline <= now else { return 0 }
    let before = invitations.count
    invitations.removeAll { $0.expires <= now }
    return before - invitations.count
  }

  mutating func removeAll() { invitations.removeAll() }
}
