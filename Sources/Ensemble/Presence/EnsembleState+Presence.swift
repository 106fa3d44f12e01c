public import MIDI
public import MusicalTime
public import PeerProtocol

// The presences of peers, their channels and their gates. A presence is the message in which a Tutti peer reports its state: its
// claim, channel, gates and activity, whether it takes over, and its rhythm.
extension EnsembleState {
  /// The MIDI channel that the local peer claims: one of 2...9 and 11...16. Nil in the first second, while the peer listens
  /// for the claims of the others, and if no channel is left.
  public var channel: Channel? { channels.local }

  /// The channel of the peer with this identity; nil if the peer has no channel, or if a peer with a lower identity claims the channel.
  public func channel(of peer: Identity) -> Channel? {
    roster.slot(of: peer).flatMap { roster.channel($0, owners: channelOwners) }
  }

  /// The remote peers that own the sixteen channels. The owner of a channel is the peer with the lowest identity of those that
  /// claim the channel.
  var channelOwners: [Identity?] { ChannelClaims.owners(in: roster) }

  /// The remote peer that owns a channel.
  public func owner(of channel: Channel) -> Identity? { channelOwners[Int(channel.wire)] }

  /// A number that increases with each possible change of ``channel`` and ``channelOwners``.
  var channelChanges: Int { channels.changes }

  /// Whether a gate of the local peer is open to a remote peer.
  ///
  /// - Parameters:
  ///   - peer: nil for a standard device.
  ///   - name: the name that a standard device reports; ignored for Tutti peers.
  public func admits(_ gate: Gate, from peer: Identity?, named name: String? = nil) -> Bool {
    guard !gates.exceptions.isEmpty else { return gates.standard[gate] }
    guard let peer else {
      // The exception for the name of a member does not apply to a standard device. Otherwise, the device could pass the gates of the
      // member by reporting the same name.
      return gates.opening(for: nil, named: name.flatMap { roster.hasMember(named: $0) ? nil : $0 })[gate]
    }
    return opening(for: peer)[gate]
  }

  /// Handles a presence from the peer with identity `sender`. A peer may send only its own presence.
  public mutating func received(_ presence: Presence, from sender: Identity, at now: Instant) {
    guard presence.identity == sender, sender != identity, let slot = roster.memberSlot(of: sender) else {
      rejected += 1
      return
    }
    let wasAsked = isAsked(by: slot)
    let setsActivity = presence.hasSetActivity && roster[slot].membership!.presence?.hasSetActivity != true
    let selectsRhythm = roster[slot].membership!.presence.map { $0.rhythm != presence.rhythm } ?? true
    let selectsScore = roster[slot].membership!.presence.map { $0.score != presence.score } ?? true
    roster[slot].membership!.presence = presence
    if roster[slot].relay == nil { introductions.candidates[sender]?.number = presence.number }
    forwardPresence(of: slot, at: now)
    heardGates(presence.memberGates, of: slot)
    if isAsked(by: slot), !wasAsked { emit(.event(.asksToLead(sender))) }
    if setsActivity { updateShare() }
    if role == .master, let claim {
      // The peer may have sent its level under this claim, and left the rhythm afterwards. The messages of a peer arrive in order. A
      // presence without the claim is therefore newer than the level, and the peer no longer takes part.
      if presence.claim == claim {
        roster[slot].membership!.setLevel(presence.activity)
      } else {
        roster[slot].membership!.takesPart = false
      }
    }
    let (hasChanged, changesTooOften) = roster[slot].membership!.claim(presence.channel, at: now)
    if hasChanged { channels.rosterChanged(at: now) }
    if changesTooOften { warn(of: sender, .changesChannelTooOften) }
    if let run = presence.lastRun { heard(run, from: sender) }
    heardPlayers(of: slot, at: now)
    heardClaim(presence.claim, from: sender, at: now)
    if let claim = presence.claim { connect(toMasterOf: claim) }
    heardRhythm(presence.rhythm, from: sender, isNews: selectsRhythm, at: now)
    heardAnswer(presence, at: now)
    heardScore(presence.score, from: sender, isNews: selectsScore, at: now)
  }

  /// Connects to the master of the rhythm with this claim if the master is not in session. In a large ensemble, not all peers are
  /// connected.
  private mutating func connect(toMasterOf claim: Claim) {
    guard claim.identity != identity, !roster.containsMember(claim.identity), claim != missingMaster,
      admits(claim)
    else { return }
    // Many peers report the same claim. Only the first report causes an attempt.
    missingMaster = claim
    emit(.connect(to: claim.identity))
  }

  /// Makes the peer in a slot of the roster a member and sends the local presence to it.
  mutating func addMember(_ slot: Roster.Slot, _ peer: Identity, named name: String?, at now: Instant) {
    roster.join(slot, named: name, at: now)
    // Earlier reports of the peer are outdated: it may have restarted, or may no longer know the rhythm.
    roster[slot].membership!.level = nil
    roster[slot].membership!.takesPart = false
    if role == .follower(of: peer) { follower!.sentLevel = nil }
    updateShare()
    present(to: slot, isNews: true, at: now)
  }

  /// Sends the presence of the local peer to the member in a slot.
  ///
  /// - Parameter isNews: whether the content of the presence may be new to the peer.
  /// - Returns: false if the presence must be sent later, because the last presence to the peer was sent less than
  ///   ``PresenceSchedule/pause`` ago.
  @discardableResult
  mutating func present(to slot: Roster.Slot, isNews: Bool, at now: Instant) -> Bool {
    guard let peer = roster[slot].identity, roster[slot].membership != nil, roster[slot].relay == nil else {
      return true
    }
    if let last = roster[slot].membership!.lastPresented, now - last < PresenceSchedule.pause { return false }
    roster[slot].membership!.lastPresented = now
    let report = currentReport
    let message = Presence(
      identity: identity, claim: report.claim, channel: report.channel, gates: opening(for: peer),
      takesOver: report.takesOver, activity: activity, hasSetActivity: report.hasSetActivity,
      asksToLead: report.asksToLead, players: players.summary, mutedSlots: mutedSlots(of: slot), rhythm: report.rhythm,
      answer: report.answer,
      page: report.page, lastRun: report.lastRun,
      number: presence.nextNumber(at: now), memberGates: memberGates, score: report.score)
    emit(.send(.presence(message), to: peer, isNews: isNews))
    return true
  }

  /// The time between two presences if nothing changes. With many peers, it is longer, to limit the number of packets.
  var presenceInterval: Nanoseconds { roster.members.count > 16 ? .seconds(1) : .milliseconds(250) }

  /// The instant at which ``advancePresence(to:)`` must be called next.
  var presenceDeadline: Instant {
    guard !roster.members.isEmpty else { return channels.nextDeadline }
    // Whether the current report was already sent to all members.
    let isKnown = isCurrent(presence.lastReport)
    let next = isKnown ? presence.next(after: presenceInterval) : presence.lastSent + PresenceSchedule.pause
    return min(channels.nextDeadline, next)
  }

  /// Sends the presence of the local peer to all members: once per ``presenceInterval``, and as soon as possible after a change.
  mutating func advancePresence(to now: Instant) {
    if now >= channels.nextDeadline { settleChannel(at: now) }
    // The first comparison is cheap. It decides most calls.
    guard !roster.members.isEmpty, now >= presence.lastSent + PresenceSchedule.pause, now >= presenceDeadline else {
      return
    }
    // A peer without a channel claims a channel that has been free for some time. `channels` has no deadline for the end of this
    // time, so the channel is settled again with each presence.
    if channel == nil, channels.nextDeadline == .distantFuture { settleChannel(at: now) }
    presence.lastSent = now
    // The lead time (``adaptLead(coversPages:)``) is calculated with this value until the next presence.
    remotePageDelay = roster.pageDelay
    rotateGates()
    var isSentToAll = true
    let isNews = presence.lastReport != currentReport
    for member in roster.members where !present(to: member.slot, isNews: isNews, at: now) { isSentToAll = false }
    // A peer to which a presence was sent less than ``PresenceSchedule/pause`` ago gets the new presence with a later call.
    presence.lastReport = isSentToAll ? currentReport : nil
  }

  /// The gates that are open for a Tutti peer.
  public func opening(for peer: Identity) -> GateSet {
    gates.opening(for: peer, named: gates.exceptions.isEmpty ? nil : roster.ownedName(of: peer))
  }

  /// The current report of the local peer: see ``PresenceSchedule/Report``.
  private var currentReport: PresenceSchedule.Report {
    PresenceSchedule.Report(
      claim: role == .idle ? nil : claim, channel: channel, gates: gates, takesOver: takesOver,
      asksToLead: asksToLead, hasSetActivity: players.isSet, list: players.document.digest, rhythm: rhythm.digest,
      answer: rhythmAnswer, score: heldScore,
      page: page,
      lastRun: role == .idle ? lastRun : nil)
  }

  /// Whether `report` equals ``currentReport``. The deadlines are computed at each waking, so no report is built.
  private func isCurrent(_ report: PresenceSchedule.Report?) -> Bool {
    guard let report else { return false }
    let isIdle = role == .idle
    return report.channel == channel && report.claim == (isIdle ? nil : claim) && report.takesOver == takesOver
      && report.asksToLead == asksToLead && report.hasSetActivity == players.isSet && report.answer == rhythmAnswer
      && report.lastRun == (isIdle ? lastRun : nil) && report.list == players.document.digest
      && report.rhythm == rhythm.digest && report.score == heldScore && report.page == page && report.gates == gates
  }

  /// Keeps or changes the channel of the local peer, and reports a change.
  private mutating func settleChannel(at now: Instant) {
    if channels.settle(for: identity, among: roster, avoiding: channelsOfPages, at: now) {
      emit(.event(.channel(channel)))
    }
    settlePlayerChannels(at: now)
  }
}
