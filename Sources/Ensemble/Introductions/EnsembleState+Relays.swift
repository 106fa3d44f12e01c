import ClockSync
import MusicalTime
import PeerProtocol

// Members that cannot be reached directly, for example because of a firewall or because they are in another subnet.
//
// If the local peer has had no session with a reported peer for three seconds, it asks the member with the fewest hops to forward the
// messages of the peer, and repeats this every two seconds. The member forwards the presences and the timeline messages, unchanged, and its
// relation to the clock of the author. A peer that is heard in this way is a member like any other: it has a channel, counts in the order of
// succession, and can be the master. Notes are not forwarded.
//
// Each presence has a number of its author. A peer uses and forwards a presence only if its number is higher than the last one of this
// author, and a timeline message only if its claim and revision are newer. So messages do not circulate, and an author that has disappeared
// falls silent for all peers at the same time, whatever the others forward.
extension EnsembleState {
  // MARK: Requesting

  /// Chooses the members that forward, asks them, and removes the members that are heard no longer.
  mutating func requestRelays(at now: Instant) {
    introductions.removeExpired(in: roster, at: now)
    var next = now + Introductions.interval
    for member in roster.members where roster[member.slot].relay != nil {
      let end = (roster.lastHeard(member.slot) ?? now) + Introductions.lifetime
      if now >= end { left(member.identity, saysGoodbye: false, at: now) } else { next = min(next, end) }
    }
    var wanted: [Identity: [Identity]] = [:]
    var room = Introductions.limit - roster.members.count
    for peer in introductions.candidates.keys.sorted() {
      let slot = roster.memberSlot(of: peer)
      if let slot, roster[slot].relay == nil {
        introductions.candidates[peer]!.since = now
        introductions.candidates[peer]!.relay = nil
        continue
      }
      if slot == nil {
        let due = introductions.candidates[peer]!.since + Introductions.patience
        if due > now { next = min(next, due) }
        guard room > 0, due <= now else { continue }
        room -= 1
      }
      introductions.chooseRelay(of: peer, heard: slot.flatMap { roster.lastHeard($0) }, at: now)
      if let relay = introductions.candidates[peer]!.relay { wanted[relay.member, default: []].append(peer) }
    }
    let former = introductions.requests
    introductions.requests = [:]
    for (relay, peers) in wanted.sorted(by: { $0.key < $1.key }) {
      let isNews = former[relay]?.peers != peers
      guard isNews || now - former[relay]!.at >= Introductions.interval else {
        introductions.requests[relay] = former[relay]
        continue
      }
      introductions.requests[relay] = (peers, now)
      emit(.send(.relayRequest(RelayRequest(peers)), to: relay, isNews: isNews))
    }
    // Silent relays must be found soon.
    if !wanted.isEmpty { next = min(next, now + .milliseconds(500)) }
    let isNeeded = !introductions.candidates.isEmpty || roster.members.contains { roster[$0.slot].relay != nil }
    introductions.nextRequest = isNeeded ? next : .distantFuture
  }

  /// The member through which the local peer hears another one; nil if it is in session with it.
  public func relay(of peer: Identity) -> Identity? {
    roster.memberSlot(of: peer).flatMap { roster[$0].relay?.member }
  }

  /// The members that are heard through others, with the members that forward their messages.
  public var relayedMembers: [(peer: Identity, relay: Identity)] {
    roster.members.compactMap { member in roster[member.slot].relay.map { (member.identity, $0.member) } }
  }

  /// Whether the local peer has asked `relay` to forward the messages of `peer`, and is not in session with `peer`.
  private func expects(_ peer: Identity, through relay: Identity) -> Bool {
    peer != identity && !roster.isDirect(peer) && introductions.candidates[peer]?.relay?.member == relay
      && roster.isDirect(relay)
  }

  // MARK: Forwarding

  /// Records which messages the member with identity `sender` wants to get, and sends the newest ones.
  mutating func received(_ request: RelayRequest, from sender: Identity, at now: Instant) {
    guard let slot = roster.memberSlot(of: sender), roster[slot].relay == nil else {
      rejected += 1
      return
    }
    heard(slot, sender, at: now)
    roster[slot].membership!.forwarded = (Set(request.members), now)
    introductions.subscriptions.set(Set(request.members), of: sender)
    introductions.forwardsUntil = now + Introductions.lifetime
    for peer in request.members {
      guard roster.containsMember(peer) else { continue }
      // The first presence makes the peer a member for the receiver, which then uses the timeline message.
      introductions.forwarding[sender, default: .init()].add(.presence, of: peer, at: now)
      introductions.forwarding[sender, default: .init()].add(.timeline, of: peer, at: now)
    }
  }

  /// The members that want to get the messages of the member in a slot, by ascending identity.
  private mutating func subscribers(of slot: Roster.Slot, at now: Instant) -> [Roster.Member] {
    guard now <= introductions.forwardsUntil, let peer = roster[slot].identity else { return [] }
    let relay = roster[slot].relay?.member
    var found: [Roster.Member] = []
    for subscriber in introductions.subscriptions.subscribers(of: peer) {
      guard let member = roster.memberSlot(of: subscriber),
        let (peers, requested) = roster[member].membership!.forwarded, now - requested <= Introductions.lifetime
      else {
        introductions.subscriptions.set([], of: subscriber)
        continue
      }
      guard subscriber != peer, subscriber != relay, roster[member].relay == nil, peers.contains(peer) else { continue }
      found.append(Roster.Member(identity: subscriber, slot: member))
    }
    return found.sorted { $0.identity < $1.identity }
  }

  /// Forwards the newest presence of the member in a slot to the members that want it.
  mutating func forwardPresence(of slot: Roster.Slot, at now: Instant) {
    guard let peer = roster[slot].identity else { return }
    for member in subscribers(of: slot, at: now) {
      introductions.forwarding[member.identity, default: .init()].add(.presence, of: peer, at: now)
    }
  }

  /// Sends the messages that are due. Those for one receiver leave one after another (``Introductions/Forwarding/pause``).
  mutating func advanceForwarding(to now: Instant) {
    for (receiver, queue) in introductions.forwarding.sorted(by: { $0.key < $1.key }) where now >= queue.next {
      var queue = queue
      let next = queue.take(at: now)
      introductions.forwarding[receiver] = next == nil ? nil : queue
      guard let (kind, peer) = next, let slot = roster.memberSlot(of: peer), roster[slot].isPresent(at: now),
        let membership = roster[slot].membership, roster[slot].relay?.member != receiver,
        let receiver = roster.memberSlot(of: receiver)
      else { continue }
      switch kind {
      case .presence: if let presence = membership.presence { forward(presence, of: slot, to: receiver, at: now) }
      case .timeline: if let message = membership.timeline { forward(message, of: slot, to: receiver) }
      }
    }
  }

  private mutating func forward(
    _ presence: Presence, of slot: Roster.Slot, to receiver: Roster.Slot, at now: Instant
  ) {
    let hops = (roster[slot].relay?.hops ?? 0) + 1
    guard hops <= Introduction.maximumHops, let receiver = roster[receiver].identity else { return }
    let clock = estimate(slot, at: now).map {
      RelayedPresence.Clock(instant: now, offset: $0.offset, skew: $0.skew, uncertainty: $0.uncertainty)
    }
    emit(.send(.relayedPresence(RelayedPresence(presence, hops: hops, clock: clock)), to: receiver, isNews: false))
  }

  /// Keeps a timeline message of the member in a slot if it is newer than the last one of this member, and forwards it to the members that
  /// want it.
  ///
  /// - Returns: whether it is newer.
  @discardableResult
  mutating func forward(_ message: TimelineMessage, of slot: Roster.Slot, at now: Instant) -> Bool {
    if let known = roster[slot].membership?.timeline,
      (message.claim.term, message.revision) <= (known.claim.term, known.revision)
    {
      return false
    }
    roster[slot].membership?.timeline = message
    for member in subscribers(of: slot, at: now) { forward(message, of: slot, to: member.slot) }
    return true
  }

  private mutating func forward(_ message: TimelineMessage, of slot: Roster.Slot, to receiver: Roster.Slot) {
    let hops = (roster[slot].relay?.hops ?? 0) + 1
    guard hops <= Introduction.maximumHops, let receiver = roster[receiver].identity else { return }
    emit(.send(.relayedTimeline(RelayedTimeline(message, hops: hops)), to: receiver, isNews: true))
  }

  // MARK: Receiving

  /// Handles a presence that the member with identity `sender` has forwarded.
  mutating func received(_ relayed: RelayedPresence, from sender: Identity, at now: Instant) {
    heard(sender, at: now)
    var presence = relayed.presence
    let peer = presence.identity
    guard expects(peer, through: sender), presence.number > introductions.candidates[peer]!.number else { return }
    introductions.candidates[peer]!.number = presence.number
    let slot = roster.insert(peer)
    let isNew = roster[slot].membership == nil
    roster[slot].relay = Relay(member: sender, hops: relayed.hops, clock: relayed.clock)
    if isNew {
      let name = introductions.candidates[peer].flatMap { $0.name.isEmpty ? nil : $0.name }
      addMember(slot, peer, named: name, at: now)
      channels.rosterChanged(at: now)
      membersChanged(at: now)
      emit(.event(.reachedThrough(peer, relay: sender)))
    }
    heard(slot, peer, at: now)
    // These are slots of the peer that has forwarded the presence.
    presence.mutedSlots = 0
    received(presence, from: peer, at: now)
    if role == .follower(of: peer) { follow(at: now) }
    // The peer leads a rhythm whose timeline message was not forwarded yet, or was lost. The answer to a request contains it.
    if let claim = presence.claim, claim.identity == peer, roster[slot].membership?.timeline?.claim != claim {
      introductions.requests[sender] = nil
      introductions.nextRequest = now
    }
  }

  /// Handles a timeline message that the member with identity `sender` has forwarded. In an open group, the rhythm gate must be open for this
  /// member too, because it could have invented the message.
  mutating func received(_ relayed: RelayedTimeline, from sender: Identity, at now: Instant) {
    heard(sender, at: now)
    let peer = relayed.message.claim.identity
    guard expects(peer, through: sender), let slot = roster.memberSlot(of: peer),
      forward(relayed.message, of: slot, at: now), hasPasskey || admits(.rhythm, from: sender)
    else { return }
    received(relayed.message, from: peer, at: now)
  }

  // MARK: Clocks

  /// The estimate of the clock of the peer in a slot; nil if it is not precise enough to play by it.
  mutating func estimate(_ slot: Roster.Slot, at now: Instant) -> ClockEstimate? {
    guard let relay = roster[slot].relay else { return roster[slot].estimate(at: now) }
    guard let forwarding = roster.slot(of: relay.member) else { return nil }
    return relay.estimate(roster[forwarding].estimate(at: now), at: now)
  }

  /// The estimate of the clock of the peer in a slot, however precise it is.
  func anyEstimate(_ slot: Roster.Slot, at now: Instant) -> ClockEstimate? {
    guard let relay = roster[slot].relay else { return roster[slot].clock.estimate(at: now) }
    guard let forwarding = roster.slot(of: relay.member) else { return nil }
    return relay.estimate(roster[forwarding].clock.estimate(at: now), at: now)
  }
}
