public import MusicalTime
public import PeerProtocol

// Handover of the rhythm from its master to another peer.
extension EnsembleState {
  /// How long an offer is valid.
  public static var offerTime: Nanoseconds { .seconds(30) }
  /// How long a follower asks its master to offer it the rhythm.
  public static var leadRequestTime: Nanoseconds { .seconds(60) }

  /// Offers the rhythm to one peer, or to all. The first peer that accepts becomes the master. The offer is repeated for a
  /// second, because datagrams can get lost.
  ///
  /// - Parameter peer: the peer that gets the offer; nil: all Tutti peers in session to which the rhythm gate is open.
  /// - Throws: ``CommandError`` if the local peer is not the master, if `peer` is not in session, if the rhythm gate is closed to `peer`,
  ///   or if `peer` is nil and no peer would get the offer.
  public mutating func offer(to peer: Identity?, at now: Instant) throws(CommandError) {
    try requireMaster()
    if let peer {
      guard roster.containsMember(peer) else { throw .isAbsent(peer) }
      guard admits(.rhythm, from: peer) else { throw .gateIsClosed(peer) }
    }
    let admittedPeers = roster.members.map(\.identity).filter { admits(.rhythm, from: $0) }
    let receivers = peer.map { [$0] } ?? admittedPeers
    guard !receivers.isEmpty else { throw .nobodyToOffer }
    send(Offer(claim: timelineMessage!.claim, isParting: false), to: receivers, at: now)
  }

  /// Whether the rhythm is offered to the local peer.
  public func isOffered(at now: Instant) -> Bool {
    guard let offer = follower?.offer else { return false }
    return offer.claim == claim && now < offer.end
  }

  /// Accepts the offered rhythm: claims it and continues it in phase.
  ///
  /// In a led session, a leader can also take the rhythm of a deputy that comes after it. No offer is necessary then.
  ///
  /// - Throws: ``CommandError`` if the local peer is already the master, if there was no offer in the last 30 s under the current
  ///   claim, if the local peer has not entered the rhythm yet (``Follower/playing``), or if only other peers lead the session.
  public mutating func take(at now: Instant) throws(CommandError) {
    if role == .master { throw .isMaster }
    if keepsOnly, let leader = gates.leaders.first { throw .ledBy(leader) }
    guard let follower, isOffered(at: now) || comesBefore(follower.master) else { throw .nothingOffered }
    guard follower.playing != nil else { throw .hasNotEntered }
    takeOver(from: follower.master, at: now)
  }

  /// Whether the local peer is a leader of the session that comes before a member.
  private func comesBefore(_ member: Identity) -> Bool {
    guard let leaderPlace else { return false }
    return leaderPlace < self.leaderPlace(of: member) ?? .max
  }

  /// Prepares the departure of the local peer. A master offers the rhythm to the next peer in the order of succession, if there is such
  /// a peer and ``masterLoss`` is `continue`. Otherwise, the master stops the rhythm. A leader that leaves offers it only to a deputy, because
  /// nobody could stop a rhythm that is only kept.
  ///
  /// - Returns: whether the rhythm was offered. The caller must then keep the local peer running until ``role`` is no longer
  ///   master, but at most for a second.
  public mutating func prepareDeparture(at now: Instant) -> Bool {
    guard role == .master, let claim else { return false }
    let successor = successors(at: now).first {
      gates.leaders.isEmpty || claim.isKept || leaderPlace(of: $0) != nil
    }
    if masterLoss == .continue, let successor {
      send(Offer(claim: claim, isParting: true), to: [successor], at: now)
      return true
    }
    try? stop(now: now)
    return false
  }

  /// Handles an offer from the peer with identity `sender`. A peer may offer only its own rhythm. An offer under another claim
  /// than the current one is ignored.
  public mutating func received(_ offer: Offer, from sender: Identity, at now: Instant) {
    guard offer.claim.identity == sender, sender != identity else {
      rejected += 1
      return
    }
    heard(sender, at: now)
    guard role == .follower(of: sender), offer.claim == claim else { return }
    // A master that leaves does not wait for the player's decision.
    if offer.isParting {
      if takesOver, isScheduled { takeOver(from: sender, at: now) }
      return
    }
    let isNew = follower?.offer.map { $0.claim != offer.claim || now >= $0.end } ?? true
    follower?.offer = Follower.ReceivedOffer(claim: offer.claim, end: now + Self.offerTime)
    if isNew { emit(.event(.offered(by: sender))) }
  }

  /// Sends an offer to some peers, and schedules its repeats.
  private mutating func send(_ offer: Offer, to receivers: [Identity], at now: Instant) {
    let sent = Leader.SentOffer(offer: offer, receivers: receivers, repeats: repeats(after: now))
    leader?.offer = sent
    for receiver in receivers { emit(.send(.offer(offer), to: receiver, isNews: true)) }
  }

  /// Sends the local peer's offer again if a repeat is due.
  mutating func repeatOffer(at now: Instant) {
    guard leader?.offer?.repeats.take(at: now) == true, let sent = leader?.offer else { return }
    for receiver in sent.receivers where roster.containsMember(receiver) {
      emit(.send(.offer(sent.offer), to: receiver, isNews: false))
    }
  }

  // MARK: Requests

  /// Asks the master to offer the rhythm to the local peer (true), or ends this request (false). The presences report the request. It
  /// also ends after ``leadRequestTime``, and with the claim that the local peer follows: when the local peer or another one becomes the
  /// master, and when the rhythm ends. A repeated request lasts for ``leadRequestTime`` from then on. Ending a request that has ended
  /// already has no effect.
  ///
  /// - Throws: ``CommandError`` for a new request, unless the local peer follows a master, if an offer of the master would not arrive, or
  ///   if only other peers lead the session.
  public mutating func askToLead(_ asks: Bool, at now: Instant) throws(CommandError) {
    guard asks else {
      follower?.leadRequestEnd = nil
      return
    }
    switch role {
    case .idle: throw .nothingPlays
    case .master: throw .isMaster
    case .follower(let master):
      if keepsOnly, let leader = gates.leaders.first { throw .ledBy(leader) }
      // Offers are not forwarded.
      if relay(of: master) != nil { throw .isNotConnected(master) }
      follower!.leadRequestEnd = now + Self.leadRequestTime
    }
  }

  /// Whether the local peer asks its master to offer it the rhythm.
  public var asksToLead: Bool { follower?.leadRequestEnd != nil }

  /// Whether the member in a slot of the roster asks the local peer, as the master, to offer it the rhythm.
  func isAsked(by slot: Roster.Slot) -> Bool {
    guard role == .master, roster[slot].relay == nil, let presence = roster[slot].membership?.presence else {
      return false
    }
    return presence.asksToLead && presence.claim == claim
  }

  /// Ends the request of the local peer if its time is over.
  mutating func endLeadRequest(at now: Instant) {
    if let end = follower?.leadRequestEnd, now >= end { follower!.leadRequestEnd = nil }
  }
}
