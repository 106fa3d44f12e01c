import ClockSync
public import MusicalTime
public import PeerProtocol
import Playback

// Succession after the loss of a master.
//
// All peers with the same knowledge compute the same order of succession: the members that follow this rhythm, were heard
// within ``silence`` and report that they would take over, lowest identity first. The first peer in this order has the rank 0. The
// peer of rank r takes over when the master has been silent for ``silence`` plus r times ``turn``, unless another peer has already
// taken over. A peer that disappeared together with the master drops out of the order by its own silence. The first remaining peer
// therefore takes over within 2 s, whichever peers are lost. If two peers take over at once, the higher claim wins. Both peers play
// in phase, so the change to one master is inaudible. In a led session, the leaders come first (EnsembleState+LedSession).
extension EnsembleState {
  /// The time without a packet from a peer after which the peer counts as lost.
  public static var silence: Nanoseconds { .milliseconds(1500) }
  /// The difference between the waiting times of successive ranks. In this time, the claim of the peer with the lower rank arrives
  /// at the peer with the higher rank.
  static var turn: Nanoseconds { .milliseconds(100) }
  /// The shortest time between two timeline messages that are sent to a peer because it does not know the current rhythm. Two
  /// masters may exist for up to a second. In this second, ten messages are sent. Ten are enough on a network that loses one packet
  /// in five, in bursts.
  static var correction: Nanoseconds { .milliseconds(100) }

  /// Whether the local peer would take over the rhythm from a lost master.
  var takesOver: Bool { masterLoss == .continue }

  /// Records that a packet from the peer has arrived.
  public mutating func heard(_ peer: Identity, at now: Instant) {
    if let slot = roster.slot(of: peer) { heard(slot, peer, at: now) } else { noteMaster(peer, at: now) }
  }

  /// Records that a packet from the peer in a slot of the roster has arrived.
  mutating func heard(_ slot: Roster.Slot, _ peer: Identity, at now: Instant) {
    noteMaster(peer, at: now)
    guard let last = roster.lastHeard(slot) else { return }
    roster[slot].membership!.hear(at: now)
    // After a second of silence, the peer may have missed messages. They are sent again.
    if now - last >= .seconds(1) {
      if role == .master, let timelineMessage { emit(.send(.timeline(timelineMessage), to: peer, isNews: true)) }
      // The presence is sent again only after a silence of four presence intervals, because presences are less frequent if there are
      // many peers.
      if now - last >= Nanoseconds(4 * presenceInterval.count) { present(to: slot, isNews: true, at: now) }
    }
    if role == .master, let presence = roster[slot].membership!.presence, isBehind(presence.claim, at: now) {
      correct(peer, at: now)
    }
  }

  /// If the peer is the master and leads the rhythm, records the instant at which it was heard.
  private mutating func noteMaster(_ peer: Identity, at now: Instant) {
    if case .following(let following) = leadership, following.master == peer, following.masterStatus == .leads {
      follower!.masterHeard = now
    }
  }

  /// Handles the claim that the peer with identity `sender` has reported.
  ///
  /// - Parameter claim: the claim of the rhythm in which `sender` takes part; nil if `sender` is idle.
  mutating func heardClaim(_ claim: Claim?, from sender: Identity, at now: Instant) {
    guard let timelineMessage else { return }
    if role == .follower(of: sender) {
      if claim == timelineMessage.claim {
        confirmMaster(at: now)
      } else if follower!.masterStatus == .leads {
        follower!.masterStatus = .hasResigned
      }
    }
    guard timelineMessage.claim.identity == identity else { return }
    if role == .idle || role == .master, isBehind(claim, at: now) { correct(sender, at: now) }
  }

  /// Whether a peer that reports this claim has missed a timeline message of the local peer. If the local peer is idle, a peer that
  /// still reports the local peer's claim has missed the end of the rhythm. If the local peer is the master, a peer that reports no claim,
  /// a lower one, or one that does not count (``counts(_:at:)``), does not know the rhythm that plays.
  private func isBehind(_ claim: Claim?, at now: Instant) -> Bool {
    guard let timelineMessage else { return false }
    if role == .idle { return claim == timelineMessage.claim }
    guard let claim else { return true }
    return claim != timelineMessage.claim && (claim < timelineMessage.claim || !counts(claim, at: now))
  }

  /// Sends the timeline message to a peer that does not know it: at most once per ``correction``, and only if the rhythm gate of
  /// the peer is open, or if the local peer keeps the rhythm. The message is not part of the recovery journal (`isNews` is false), because it
  /// is repeated as long as the peer does not know it.
  mutating func correct(_ peer: Identity, at now: Instant) {
    guard let timelineMessage else { return }
    if let slot = roster.slot(of: peer) {
      guard timelineMessage.claim.isKept || roster[slot].membership?.presence?.gates[.rhythm] != false else { return }
      if let last = roster[slot].timelineMessageResent, now - last < Self.correction { return }
      roster[slot].timelineMessageResent = now
    }
    emit(.send(.timeline(timelineMessage), to: peer, isNews: false))
  }

  /// Records that the master has reported that it leads the rhythm.
  mutating func confirmMaster(at now: Instant) {
    guard role.master != nil else { return }
    (follower!.masterStatus, follower!.masterHeard) = (.leads, now)
  }

  /// The order of succession without the local peer: the peers that would take over the rhythm from a lost master. A follower omits
  /// the peers that it would not follow.
  func successors(at now: Instant) -> [Identity] {
    guard let claim else { return [] }
    let peers = roster.members.filter { member in
      guard member.identity != claim.identity, roster[member.slot].isPresent(at: now),
        let presence = roster[member.slot].membership?.presence
      else { return false }
      return presence.takesOver && presence.claim == claim
        && (role == .master || mayLead(member.identity, isKeeper: leaderPlace(of: member.identity) == nil))
    }.map(\.identity)
    // The members are in the order of their identities.
    guard !gates.leaders.isEmpty else { return peers }
    return peers.map { (place: leaderPlace(of: $0), identity: $0) }.sorted(by: precedes).map(\.identity)
  }

  /// When the silence of the master is checked next.
  var nextSuccession: Instant {
    guard case .following(let follower) = leadership else { return .distantFuture }
    // If the gate was closed to the master, the local peer stops following it at once.
    guard let claim, admits(claim) else { return Instant(nanoseconds: .min) }
    if claim.isKept, isScheduled, leaderPlace != nil { return follower.nextCheck }
    return max(follower.masterHeard + Self.silence, follower.nextCheck)
  }

  /// Checks the silence of the master if a check is due. Takes over the rhythm if it is the turn of the local peer, or if it is a leader and
  /// the master only keeps the rhythm. Ends the
  /// rhythm if the local peer does not take over and no other peer has done so in time.
  mutating func checkSuccession(at now: Instant) {
    guard now >= nextSuccession, let following = follower else { return }
    let master = following.master
    guard let claim, admits(claim) else { return end(at: now) }
    if isScheduled, endsKeeping(at: now) { return takeOver(from: master, at: now) }
    if now < following.masterHeard + Self.silence {
      // Another leader comes before the local peer.
      follower!.nextCheck = now + Self.turn
      return
    }
    let plays = schedule.run != 0 && schedule.deadline(schedule.end) > now
    let awaits = awaitsAnotherMaster()
    // While another master is awaited, the old rhythm continues as long as packets of the old master arrive.
    if awaits, plays, let slot = roster.slot(of: master), roster[slot].isPresent(at: now) {
      follower!.nextCheck = now + Self.turn
      return
    }
    // A peer that keeps a rhythm may not end it.
    let hasEnded = following.masterStatus == .hasResigned && !awaits && !claim.isKept
    guard !hasEnded, takesOver, plays else {
      // The local peer does not take over: the master has resigned and no other master is awaited, the settings forbid it, or
      // nothing plays. Followers continue for the time ``coasting``, in which another peer may take over.
      let due = following.masterHeard + Self.coasting
      follower!.nextCheck = due
      guard now >= due else { return }
      end(at: now)
      return emit(.event(.masterLost(master)))
    }
    let own = (place: leaderPlace, identity: identity)
    let rank = successors(at: now).prefix { precedes((leaderPlace(of: $0), $0), own) }.count
    var due = following.masterHeard + Self.silence + Nanoseconds(Self.turn.count * Int64(rank))
    // If a peer reports that it has taken over, its timeline message will probably arrive soon. The local peer waits for this message.
    if isTakenOver(at: now) { due = max(due, following.masterHeard + Self.coasting) }
    if now >= due { return takeOver(from: master, at: now) }
    // The rank is computed again soon, because peers that are before the local peer in the order may disappear as well.
    follower!.nextCheck = min(due, now + Self.turn)
  }

  /// Whether the old master now follows a new master that the local peer would also follow, but whose timeline message the local peer
  /// has not received yet. This happens when two halves of a network reunite. Until the local peer receives a message from the new
  /// master, the old rhythm continues. If packets from the old master also stop, the old master counts as lost.
  private func awaitsAnotherMaster() -> Bool {
    guard let follower, follower.masterStatus == .hasResigned, let claim, let slot = roster.slot(of: follower.master),
      let other = roster[slot].membership?.presence?.claim
    else { return false }
    return other != claim && other.identity != identity && admits(other)
  }

  /// Whether a peer that the local peer would follow reports that it leads the rhythm by another claim than the current one. The other
  /// claim can be lower, because the current one counts no longer.
  private func isTakenOver(at now: Instant) -> Bool {
    guard let claim else { return false }
    return roster.members.contains { member in
      guard let other = roster[member.slot].membership?.presence?.claim, other.identity == member.identity,
        other != claim
      else { return false }
      return roster[member.slot].isPresent(at: now) && admits(other)
    }
  }

  /// Ends the rhythm at the local peer at once: ticks that are due at `now` or later are not played.
  mutating func end(at now: Instant) {
    if var run {
      run.end = min(schedule.end, schedule.firstTick(notBefore: now))
      play(run)
    }
    finish()
  }

  /// Claims the current rhythm and continues it with the same ticks and deadlines.
  ///
  /// The timeline is converted from the master's clock to the local clock. The new origin is the first tick that has not been
  /// passed to the audio output yet. If the slewed clock was correcting an error of the local position, this correction stops. The
  /// local peer thus plays on without a change, and the other peers slew towards its position.
  mutating func takeOver(from master: Identity, at now: Instant) {
    // The origin of the new timeline.
    let tick = schedule.firstTick(notBefore: now + soundLead)
    let origin = Timeline(
      tempo: schedule.localTempo(schedule.tempo(at: tick)), tick: tick, at: schedule.deadline(tick))
    // The tempo changes after the new origin remain pending.
    let changes = schedule.tempo.changes.filter { $0.tick > tick }.map {
      TempoChange(tempo: schedule.localTempo($0.tempo), tick: $0.tick)
    }
    let (continued, rule) = (claim, totalActivityRule)
    // If the rhythm of the timeline message is not scheduled yet, the previous rhythm still plays. The local peer then continues
    // the previous rhythm.
    timelineMessage = TimelineMessage(
      claim: newClaim(continuing: continued, at: now), revision: 0,
      start: isScheduled ? timelineMessage?.start ?? schedule.start : schedule.start, end: schedule.end,
      tempo: TempoMap(origin, changes: changes), countIn: schedule.countIn, mix: schedule.mix, total: schedule.total,
      totalRule: rule, rhythm: run!.message.rhythm,
      grid: run!.message.grid, fill: schedule.fill, score: run!.message.score,
      tempoFactor: run!.message.tempoFactor)
    timelineMessage!.mix.settle(at: tick)
    timelineMessage!.total.settle(at: tick)
    timelineMessage!.rhythm.settle(at: tick)
    timelineMessage!.grid.settle(at: tick)
    timelineMessage!.score.settle(at: tick)
    var run = run!
    // A clock thread that already plays continues after the tick that it played last (``continuation(at:)``).
    (run.entry, run.number) = (continuation(at: now), nextRunNumber)
    (run.clock, run.sends, run.ownTotal) = (.identity, true, nil)
    emit(.event(.tookOver(from: master)))
    if let continued, let claim, claim < continued, !claim.isKept { warn(of: master, .claimHasExpired) }
    // The local peer may have been the master before. The activity levels from that time may be outdated. Each peer sends its
    // level again under the new claim.
    roster.markAllAbsent()
    lead(Leader(hasTakenOver: true, totals: continuedTotals(of: schedule, at: now)), playing: run, at: now)
    planScore(at: now)
    // A peer that does not play the rhythm of the lost master changes the rhythm of all peers to its own, unless it only keeps the rhythm.
    if keptFor == nil, rhythm.digest != timelineMessage!.rhythm.next.digest { requestRhythm(at: now) }
  }
}

extension EnsembleState {
  /// The decisions about the total in a rhythm that the local peer continues as the master.
  func continuedTotals(of schedule: PlaybackSchedule, at now: Instant) -> TotalSchedule {
    let beat = layerPosition(notAfter: schedule.tick(at: now + lead), in: schedule.grid)
    return TotalSchedule(decidedBeat: beat, decidesFrom: now + TotalSchedule.inquiry)
  }
}

extension PlaybackSchedule {
  /// Converts `tempo` from the master's clock to the local clock. The rate is that of the second line of the mapping, which applies
  /// after the correction in progress. The result is the mean over 1024 quarter notes, because the mapping is rounded to
  /// nanoseconds.
  fileprivate func localTempo(_ tempo: Tempo) -> Tempo {
    let count: Int64 = 1024
    let end = clock.second.local(at: clock.second.remote + Nanoseconds(tempo.nanosecondsPerQuarter * count))
    let length = ((end - clock.second.local).count + count / 2) / count
    let range = Tempo.lengths
    return Tempo(nanosecondsPerQuarter: min(max(length, range.lowerBound), range.upperBound)) ?? tempo
  }
}
