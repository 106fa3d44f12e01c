import PeerProtocol

/// The order in which the presences of the local peer report its gates for its members (``PeerProtocol/Presence/memberGates``). All
/// presences that are sent at one time report the same member.
///
/// The members follow one another by ascending identity, so that all of them are reported within as many intervals as there are members.
/// A member whose gates have changed since they were reported, or were never reported, comes first. After such a member, the next one in turn
/// follows: a peer that joins and leaves again and again does not displace the others.
struct GateRotation: Sendable {
  /// The member that the presences report now; nil before the first round, and without members.
  private(set) var member: Identity?
  /// The member that was reported last in its turn.
  private var last: Identity?
  /// Whether ``member`` was chosen because its gates have changed.
  private var isForChange = false

  /// Chooses the next member.
  ///
  /// - Parameters:
  ///   - members: the members by ascending identity.
  ///   - hasChanged: whether the gates for a member differ from those that were reported last.
  mutating func advance(among members: [Roster.Member], where hasChanged: (Roster.Member) -> Bool) {
    let start = members.firstIndex { member in last.map { member.identity > $0 } ?? true } ?? 0
    let order = members[start...] + members[..<start]
    let changed = isForChange ? nil : order.first(where: hasChanged)
    member = (changed ?? order.first)?.identity
    isForChange = changed != nil
    if member == order.first?.identity { last = member }
  }
}
