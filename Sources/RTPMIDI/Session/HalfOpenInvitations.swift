import MusicalTime

/// The half-open invitations of an endpoint: invitations of remote peers that were accepted on the control port. The
/// second invitation of such a peer has not arrived on the data port yet. There are at most 64, and at most 16 from one
/// host. A host that sends thousands of invitations thus displaces its own invitations, not those of other hosts.
struct HalfOpenInvitations {
  static var limit: Int { 64 }
  static var limitPerHost: Int { 16 }

  /// The invitations in the order of their first arrival.
  private var invitations: [HalfOpenInvitation] = [] { didSet { deadline = invitations.map(\.expires).min() } }

  var count: Int { invitations.count }

  /// The instant at which the next invitation expires. It is stored because it is read for every packet and rarely
  /// changes.
  private(set) var deadline: Instant?

  /// Adds an invitation that arrived on the control port.
  ///
  /// If the same invitation arrives again, that is, with the same token, it stays for another
  /// ``HalfOpenInvitation/lifetime``. An invitation of the same peer with another token replaces the earlier one.
  ///
  /// - Parameter localSSRC: the SSRC in the answers.
  /// - Returns: whether another invitation was dropped to make room: the oldest of this host, or the oldest of all.
  mutating func open(
    _ command: SessionCommand, answeredAs localSSRC: UInt32, from control: SocketAddress, at now: Instant
  ) -> Bool {
    if let index = invitations.firstIndex(where: { $0.ssrc == command.ssrc && $0.control == control }) {
      guard invitations[index].token != command.token else {
        invitations[index].expires = now + HalfOpenInvitation.lifetime
        return false
      }
      invitations.remove(at: index)
    }
    var hasDropped = false
    if invitations.count(where: { $0.control.isSameHost(as: control) }) == Self.limitPerHost,
      let index = invitations.firstIndex(where: { $0.control.isSameHost(as: control) })
    {
      invitations.remove(at: index)
      hasDropped = true
    } else if invitations.count == Self.limit {
      invitations.removeFirst()
      hasDropped = true
    }
    invitations.append(HalfOpenInvitation(command, answeredAs: localSSRC, from: control, at: now))
    return hasDropped
  }

  /// The SSRC in the answers to the newest invitation from this control port; nil if there is none.
  func localSSRC(for control: SocketAddress) -> UInt32? { invitations.last { $0.control == control }?.localSSRC }

  /// The SSRC in the answers to this invitation, which was repeated; nil if it is new.
  func localSSRC(of command: SessionCommand, from control: SocketAddress) -> UInt32? {
    invitations.first { $0.ssrc == command.ssrc && $0.control == control && $0.token == command.token }?.localSSRC
  }

  /// Returns the half-open invitation that an invitation on the data port completes: the one with the same
  /// SSRC, host and token; if there is none, the newest one with the same SSRC and host, because PipeWire and
  /// midimonster use a new token for each port.
  func invitation(completedBy command: SessionCommand, from data: SocketAddress) -> HalfOpenInvitation? {
    let isOfPeer = { (half: HalfOpenInvitation) in
      half.ssrc == command.ssrc && half.control.isSameHost(as: data)
    }
    let index =
      invitations.firstIndex { isOfPeer($0) && $0.token == command.token } ?? invitations.lastIndex(where: isOfPeer)
    return index.map { invitations[$0] }
  }

  /// Removes the invitation of the peer with this SSRC, control port and token. The token 0 means any. Returns whether there was one.
  mutating func withdraw(ssrc: UInt32, control: SocketAddress, token: UInt32) -> Bool {
    let index = invitations.firstIndex {
      $0.ssrc == ssrc && $0.control == control && (token == 0 || $0.token == token)
    }
    guard let index else { return false }
    invitations.remove(at: index)
    return true
  }

  /// Removes the expired invitations. Returns their number.
  mutating func expire(at now: Instant) -> Int {
    guard let deadline, deadline <= now else { return 0 }
    let before = invitations.count
    invitations.removeAll { $0.expires <= now }
    return before - invitations.count
  }

  mutating func removeAll() { invitations.removeAll() }
}

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
