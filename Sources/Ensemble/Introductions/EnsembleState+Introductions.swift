import MusicalTime
import PeerProtocol
import RTPMIDI

// Introductions: members tell each other which other members they hear, and where.
//
// If three machines are started with `--connect` to one of them, only this one knows both others. It tells them the addresses, and they
// connect to each other (``InvitationList``). So every band becomes one in which all peers are connected, whatever addresses were given. A
// peer that cannot be reached at any address is heard through a third one (``Relay``).
extension EnsembleState {
  /// Whether a member is introduced to others. Above sixteen peers, only the master and the two lowest identities are, because all connect to
  /// these.
  private func isIntroduced(_ member: Identity) -> Bool {
    if Introductions.isSmall(roster) { return true }
    return member == role.master || roster.members.prefix(2).contains { $0.identity == member }
  }

  /// Whether the local peer hears a member, directly or through another one.
  private func isHeard(_ peer: Identity, at now: Instant) -> Bool {
    roster.memberSlot(of: peer).map { roster[$0].isPresent(at: now) } ?? false
  }

  /// Reports the members to each other.
  private mutating func sendIntroductions(at now: Instant) {
    introductions.removeExpired(in: roster, at: now)
    let introduced = roster.members.filter { isIntroduced($0.identity) && roster[$0.slot].isPresent(at: now) }
    for member in roster.members where roster.isDirect(member.identity) {
      var entries = introduced.compactMap { $0.identity == member.identity ? nil : entry(of: $0, for: member.identity) }
      // A peer that the local peer cannot reach either is introduced at once, so that all peers of a chain find out at the same time which
      // of them must forward.
      if Introductions.isSmall(roster) {
        entries += introductions.candidates.sorted { $0.key < $1.key }.compactMap { identity, candidate in
          identity != member.identity && !isHeard(identity, at: now)
            ? candidate.entry(of: identity, for: member.identity) : nil
        }
      }
      for message in Introduction.messages(Array(entries.prefix(Introductions.limit))) {
        emit(.send(.introduction(message), to: member.identity, isNews: true))
      }
    }
  }

  /// What the local peer tells `receiver` about a member; nil if it hears the member through the receiver.
  private func entry(of member: Roster.Member, for receiver: Identity) -> Introduction.Entry? {
    let row = roster[member.slot]
    var (hops, place) = (
      UInt8(1), row.session.map { InvitationList.Place(control: $0.info.control, data: $0.info.data) }
    )
    if let relay = row.relay {
      guard relay.member != receiver, relay.hops < Introduction.maximumHops else { return nil }
      (hops, place) = (relay.hops + 1, introductions.candidates[member.identity]?.place)
    }
    return Introduction.Entry(member.identity, named: row.name ?? row.session?.info.name, at: place, hops: hops)
  }

  /// Records the members that the member with identity `sender` reports.
  ///
  /// - Parameter address: the address at which the local peer hears the sender; nil without a session, as in tests.
  public mutating func received(
    _ introduction: Introduction, from sender: Identity, at address: SocketAddress?, now: Instant
  ) {
    heard(sender, at: now)
    for entry in introduction.entries where entry.identity != identity {
      if introductions.candidates[entry.identity] == nil, !isHeard(entry.identity, at: now) {
        membersChanged(at: now)
      }
      introductions.add(entry, at: entry.place(near: address), by: sender, now: now)
    }
    introductions.nextRequest = min(introductions.nextRequest, now + Introductions.patience)
  }

  /// Schedules a report of the members, because one has joined.
  mutating func membersChanged(at now: Instant) {
    introductions.hasChanged = true
    introductions.nextReport = min(introductions.nextReport, now + Introductions.gathering)
  }

  /// When ``advanceIntroductions(to:)`` has something to do next.
  var introductionDeadline: Instant {
    introductions.forwarding.values.reduce(min(introductions.nextReport, introductions.nextRequest)) {
      min($0, $1.next)
    }
  }

  /// Reports the members, asks members to forward the messages of those that cannot be reached, and removes those that are heard no longer.
  mutating func advanceIntroductions(to now: Instant) {
    if now >= introductions.nextReport {
      let interval = Introductions.isSmall(roster) ? Introductions.interval : Introductions.longInterval
      let pause = introductions.hasChanged ? Introductions.repetition : interval
      introductions.hasChanged = false
      introductions.nextReport = roster.members.count > 1 ? now + pause : .distantFuture
      sendIntroductions(at: now)
    }
    if now >= introductions.nextRequest { requestRelays(at: now) }
    if !introductions.forwarding.isEmpty { advanceForwarding(to: now) }
  }
}

extension Introductions.Candidate {
  /// What the local peer tells `receiver` about a peer that it has not reached; nil if it knows the peer from the receiver.
  fileprivate func entry(of identity: Identity, for receiver: Identity) -> Introduction.Entry? {
    guard let best = reporters.min(by: { ($0.value.hops, $0.key) < ($1.value.hops, $1.key) }), best.key != receiver,
      best.value.hops < Introduction.maximumHops
    else { return nil }
    return Introduction.Entry(identity, named: name, at: place, hops: best.value.hops + 1)
  }
}

extension Introduction.Entry {
  /// - Parameter place: a loopback address becomes the address of the local peer; one without a meaning for another machine is not sent.
  fileprivate init(_ identity: Identity, named name: String?, at place: InvitationList.Place?, hops: UInt8) {
    let usable = place.flatMap { $0.control.isLoopback || $0.control.isIntroducible ? $0 : nil }
    self.init(
      identity: identity, name: name ?? "", host: usable.flatMap { $0.control.isLoopback ? nil : $0.control },
      controlPort: usable?.control.port ?? 0, dataPort: usable?.data.port ?? 0, hops: hops)
  }

  /// The addresses of the peer.
  ///
  /// - Parameter address: the address at which the local peer hears the sender of the introduction.
  func place(near address: SocketAddress?) -> InvitationList.Place? {
    guard controlPort > 0, var control = host ?? address else { return nil }
    control.port = controlPort
    var data = control
    data.port = dataPort
    return InvitationList.Place(control: control, data: data)
  }
}
