public import PeerProtocol

// The gates of all pairs of peers. Each peer reports in its presences to each receiver the gates for this receiver, and to all receivers
// in turn the gates for each of its members. So every peer can show what every other one takes from every third one. Gates
// for others are only shown.
extension EnsembleState {
  /// The largest number of peers for which the gates of one member are kept, besides those for the local peer.
  static var maximumMemberGates: Int { 64 }

  /// The gates that a member has opened, by the peer for which they are open: the local peer or another member. Peers for which the gates
  /// are not known are missing.
  public func takes(of member: Identity) -> [Identity: GateSet] {
    guard let slot = roster.memberSlot(of: member) else { return [:] }
    var takes = roster[slot].membership!.gatesForOthers
    // The gates in a forwarded presence are those for the first peer that has forwarded it.
    if roster[slot].relay == nil, let presence = roster[slot].membership!.presence { takes[identity] = presence.gates }
    return takes
  }

  /// Keeps the gates that the member in a slot of the roster reports for one of its members. Gates for an identity that is neither a
  /// member nor the local peer are ignored, because a hostile peer could report any number of them.
  mutating func heardGates(_ reported: MemberGates?, of slot: Roster.Slot) {
    guard let reported, reported.identity != roster[slot].identity,
      reported.identity == identity || roster.containsMember(reported.identity)
    else { return }
    let known = roster[slot].membership!.gatesForOthers
    guard known[reported.identity] != nil || known.count < Self.maximumMemberGates else { return }
    roster[slot].membership!.gatesForOthers[reported.identity] = reported.gates
  }

  /// Chooses the member whose gates the next presences report.
  mutating func rotateGates() {
    var rotation = presence.rotation
    rotation.advance(among: roster.members) { member in
      roster[member.slot].membership!.reportedGates != opening(for: member.identity)
    }
    presence.rotation = rotation
    guard let member = rotation.member, let slot = roster.memberSlot(of: member) else { return }
    roster[slot].membership!.reportedGates = opening(for: member)
  }

  /// The gates that the presences report to all receivers; nil if the chosen member has left.
  var memberGates: MemberGates? {
    presence.rotation.member.flatMap { roster.containsMember($0) ? MemberGates($0, opening(for: $0)) : nil }
  }
}
