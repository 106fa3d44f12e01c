import ClockSync
public import MusicalTime
public import PeerProtocol
import RTPMIDI
import Sending

// Messages and measurements from remote peers.
extension EnsembleState {
  /// The shortest time between two corrections of the slewed clock by which a follower plays.
  static var steering: Nanoseconds { .milliseconds(50) }
  /// The player is warned as soon as a peer has sent this number of implausible time stamps, or of unsolicited replies. The network alone can
  /// cause fewer of them.
  static var rejectedStampsForWarning: Int { 8 }

  /// Adds a Tutti peer that is now in session. If the local peer is the master, it sends its timeline message.
  ///
  /// A new session with a master does not prove that the master still leads the rhythm, because the master may have restarted and lost
  /// the rhythm. Only its timeline message or its presence proves that it leads.
  ///
  /// - Parameter name: the name that the peer reports.
  public mutating func joined(_ peer: Identity, named name: String? = nil, at now: Instant) {
    let slot = roster.insert(peer)
    roster[slot].relay = nil
    // A member that has restarted does not know what it was asked to forward.
    introductions.requests[peer] = nil
    introductions.nextRequest = min(introductions.nextRequest, now)
    membersChanged(at: now)
    if role == .follower(of: peer) { follower?.masterStatus = .isUnknown }
    if role == .master, let timelineMessage { emit(.send(.timeline(timelineMessage), to: peer, isNews: true)) }
    // The presence is sent after the timeline message, so that the peer already knows the rhythm whose claim the presence reports.
    addMember(slot, peer, named: name, at: now)
  }

  /// Handles the end of the session with the peer.
  ///
  /// - Parameter saysGoodbye: whether the peer ended the session (BY). A master that ended its session counts as lost at once.
  ///   Otherwise the master may have been killed and restarted, and may soon continue the rhythm. It then counts as lost only
  ///   after ``silence``.
  public mutating func left(_ peer: Identity, saysGoodbye: Bool = true, at now: Instant) {
    channels.rosterChanged(at: now)
    defer {
      updateShare()
      settleMoves(at: now)
    }
    documents.sending.remove(peer)
    listReceptions[peer] = nil
    let slot = roster.slot(of: peer)
    guard role == .follower(of: peer) else {
      if let slot { roster.remove(slot) }
      return
    }
    if let slot { roster.leave(slot) }
    follower?.masterStatus = .isUnknown
    if saysGoodbye { follower!.masterHeard = min(follower!.masterHeard, now - Self.silence) }
    // The next check of the succession may have been postponed. From now on, only the silence of the master determines when the check is
    // due: ``nextSuccession`` returns the later of `nextCheck` and the end of the permitted silence after `masterHeard`.
    follower!.nextCheck = follower!.masterHeard
    // The clock of one departed master is kept, because this master may return.
    if let departedMaster, departedMaster != peer, let former = roster.slot(of: departedMaster),
      roster[former].membership == nil
    {
      roster.remove(former)
    }
    departedMaster = peer
  }

  /// Adds a measurement of the clock of `peer`.
  public mutating func measured(_ transit: ClockTransit, with peer: Identity, at now: Instant) {
    measured(transit, roster.insert(peer), peer, at: now)
  }

  /// Adds a measurement of the clock of a session's peer.
  ///
  /// - Returns: the measurement, corrected for the asymmetry that the player has set for this peer; nil if there is no such session. Also the
  ///   stream of the session and the offset of the peer's clock, if the offset must be reported (``RemotePeer/updateTiming(_:at:)``).
  mutating func measured(
    _ transit: ClockTransit, on session: SessionID, at now: Instant
  ) -> (corrected: ClockTransit, report: (stream: StreamID, offset: Nanoseconds)?)? {
    guard let slot = roster.slot(of: session) else { return nil }
    let corrected = transit.allowing(for: roster.asymmetry(slot))
    if let identity = roster.identity(slot) { measured(corrected, slot, identity, at: now) }
    // Following the clock may have removed the session, or moved it.
    guard let slot = roster.slot(of: session), let offset = roster[slot].updateTiming(corrected, at: now),
      let stream = roster.stream(of: session)
    else { return (corrected, nil) }
    return (corrected, (stream, offset))
  }

  /// Adds a measurement of the clock of `peer`, which is in a slot of the roster.
  mutating func measured(_ transit: ClockTransit, _ slot: Roster.Slot, _ peer: Identity, at now: Instant) {
    if departedMaster == peer { departedMaster = nil }
    heard(slot, peer, at: now)
    let warnings = roster[slot].add(transit, at: now)
    // The clock of a master that is heard through this peer depends on the clock of this peer.
    guard let master = role.master, master == peer || relay(of: master) == peer else { return }
    for warning in warnings { warn(of: peer, warning) }
    if !isScheduled || now >= follower!.lastSteered + Self.steering { follow(at: now) }
  }

  /// Handles a message from the peer with identity `sender`. Used identities and phrases have no effect here: ``PeerCore`` handles them.
  public mutating func received(_ message: PeerMessage, from sender: Identity, at now: Instant) {
    switch message {
    case .timeline(let timelineMessage):
      if timelineMessage.claim.identity == sender, let slot = roster.memberSlot(of: sender) {
        forward(timelineMessage, of: slot, at: now)
      }
      received(timelineMessage, from: sender, at: now)
    case .presence(let presence): received(presence, from: sender, at: now)
    case .offer(let offer): received(offer, from: sender, at: now)
    case .documentRequest(let request): received(request, from: sender, at: now)
    case .documentPart(let part): received(part, from: sender, at: now)
    case .playerEnergies(let energies): received(energies, from: sender, at: now)
    case .introduction(let introduction): received(introduction, from: sender, at: nil, now: now)
    case .relayRequest(let request): received(request, from: sender, at: now)
    case .relayedPresence(let relayed): received(relayed, from: sender, at: now)
    case .relayedTimeline(let relayed): received(relayed, from: sender, at: now)
    case .usedIdentity, .phrase: break
    }
  }

  /// Counts and reports a message of the peer with identity `sender` that cannot be decoded.
  public mutating func receivedUnreadable(from sender: Identity) {
    rejected += 1
    warn(of: sender, .isUnreadable)
  }

  /// Counts a packet of a session that was not used, or a part of it. From ``rejectedStampsForWarning`` packets on, the player is warned once.
  mutating func received(_ irregularity: Irregularity, from slot: Roster.Slot) {
    guard roster[slot].session != nil else { return }
    let count: Int
    let warning: PeerWarning
    switch irregularity {
    case .implausibleStamp:
      roster[slot].session!.implausibleStamps += 1
      (count, warning) = (roster[slot].session!.implausibleStamps, .implausibleStamps)
    case .unsolicitedReply:
      roster[slot].session!.unsolicitedReplies += 1
      (count, warning) = (roster[slot].session!.unsolicitedReplies, .unsolicitedReplies)
    }
    guard count >= Self.rejectedStampsForWarning, roster[slot].reportedWarnings.insert(warning).inserted else { return }
    let reference = roster[slot].reference
    emit(.event(reference.identity.map { .warning($0, warning) } ?? .deviceWarning(reference, warning)))
  }

  /// Reports a problem with a peer once.
  mutating func warn(of peer: Identity, _ warning: PeerWarning) {
    let slot = roster.insert(peer)
    if roster[slot].reportedWarnings.insert(warning).inserted { emit(.event(.warning(peer, warning))) }
  }

  /// Handles a timeline message from the peer with identity `sender`. A peer may send only its own timeline.
  ///
  /// After the message, the local peer follows `sender`, unless the rhythm of the message has ended. The message has no effect on the
  /// rhythm in these cases:
  ///
  /// - The message is refused, or the rhythm gate is closed to `sender`.
  /// - A rhythm plays, and its claim outranks the claim of the message.
  /// - The local peer already knows the claim and this revision or a newer one. An idle peer ignores only older revisions.
  /// - A rhythm with another claim plays, and the rhythm of the message has ended, or may have ended.
  /// - The sender only keeps the rhythm, and changes more than the total.
  public mutating func received(_ message: TimelineMessage, from sender: Identity, at now: Instant) {
    guard message.claim.identity == sender, sender != identity, message.start <= message.end else {
      rejected += 1
      return
    }
    heard(sender, at: now)
    guard admits(message.claim) else { return }
    if let known = timelineMessage {
      if message.claim == known.claim {
        confirmMaster(at: now)
        // A peer that has become idle because it lost this master follows it again after a message with the revision that it
        // already knows. It ignores older revisions, which may not contain the end.
        let isNews = message.revision > known.revision
        guard isNews || (role == .idle && message.revision == known.revision) else { return }
        guard !message.claim.isKept || admits(.rhythm, from: sender) || message.keeps(known) else {
          rejected += 1
          return
        }
      } else if role != .idle, message.claim < known.claim {
        if outranks(known.claim, message.claim, at: now) {
          // The sender does not know the higher claim.
          if role == .master { correct(sender, at: now) }
          return
        }
        if role != .master, !message.claim.isKept { warn(of: known.claim.identity, .claimHasExpired) }
      }
    }
    let isNewClaim = message.claim != claim
    // While a rhythm plays, only a rhythm that is known not to have ended replaces it. If the message contains an end, this requires an
    // estimate of the clock of the other master.
    if role != .idle, isNewClaim, isOver(message, at: now) != false { return }
    if isNewClaim {
      if role == .master { reportLossOfLeadership(to: sender, at: now) }
      // A former master that is idle repeats ``timelineMessage``, so that all peers learn the end of its rhythm. The repeats must stop,
      // because ``timelineMessage`` is replaced below by the message of `sender`.
      idle?.repeats = Repeats()
    }
    timelineMessage = message
    // An idle peer keeps the message of a rhythm that has ended, so that a new rhythm may start and older revisions are ignored. But it
    // does not follow the rhythm.
    if role == .idle, isOver(message, at: now) == true { return }
    if isNewClaim || role == .idle {
      transition(to: .following(Follower(of: sender, at: now)))
    } else {
      confirmMaster(at: now)
    }
    fetchMasterRhythm(at: now)
    follow(at: now)
  }

  /// Whether a rhythm has ended; nil if this is not known, because its master's clock is not known.
  private func isOver(_ timelineMessage: TimelineMessage, at now: Instant) -> Bool? {
    if timelineMessage.end == Tick(.max) { return false }
    guard let slot = roster.slot(of: timelineMessage.claim.identity),
      let clock = anyEstimate(slot, at: now)
    else { return nil }
    return timelineMessage.deadline(timelineMessage.end) - clock.offset <= now
  }

  /// Reports that the peer with identity `sender` is the master instead of the local peer.
  private mutating func reportLossOfLeadership(to sender: Identity, at now: Instant) {
    let isHandover = hasOffered(to: sender) || keptFor != nil
    emit(.event(isHandover ? .handedOver(to: sender) : .outranked(by: sender, cause(of: sender, at: now))))
  }
}
