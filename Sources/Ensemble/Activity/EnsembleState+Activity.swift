public import MIDI
public import MusicalTime
import PeerProtocol

// The exchange of activity: each peer sends its level to the master, and the master sends the total to all peers.
extension EnsembleState {
  /// Channel 1, which carries activity only.
  static var activityChannel: Channel { Channel(wire: 0) }
  /// Expression (CC 11). Its value is the level of the sender.
  static var levelController: UInt7 { 11 }
  /// Channel Volume (CC 7). The master sends it; its value is the total. Tutti peers ignore it.
  static var totalController: UInt7 { 7 }

  /// The total activity of players of whom none has set an activity: a moderate beginning, whatever the number of players and the rule
  /// are. Notes add to it.
  public static var moderateTotal: UInt8 { 56 }

  /// The smoothed activity of the player, 0...127. While no player has set an activity, it contains the player's part in
  /// ``moderateTotal``.
  public var activity: UInt8 { min(localActivity.level.value + localActivity.share, 127) }

  /// The activity that the player has set by keys or by a controller, 0...127; nil: none.
  public var heldActivity: UInt8? { localActivity.isSet ? localActivity.level.held : nil }

  /// Whether the local player or the player of a member has set an activity.
  private var isActivitySet: Bool {
    localActivity.isSet || roster.members.contains { roster[$0.slot].membership?.presence?.hasSetActivity == true }
  }

  /// The part of the peer of this rank in ``moderateTotal``. The parts of all ranks add up to it.
  ///
  /// - Parameter rank: the number of peers with a lower identity.
  private func share(ofRank rank: Int) -> UInt8 {
    let (total, count) = (Int(Self.moderateTotal), roster.members.count + 1)
    return UInt8(total * (rank + 1) / count - total * rank / count)
  }

  /// Computes the local player's part in ``moderateTotal``. Called when a member joins or leaves, and when a player sets an activity for the
  /// first time.
  mutating func updateShare() {
    let rank = roster.members.prefix { $0.identity < identity }.count
    localActivity.share = isActivitySet ? 0 : share(ofRank: rank)
  }

  /// How the master combines the levels.
  public var totalActivityRule: TotalActivityRule {
    get { localActivity.rule }
    set { localActivity.rule = newValue }
  }

  /// The total activity, 0...127. At the master, it is the total of all levels; shortly after a takeover, it is still the total
  /// of the previous master (``TotalSchedule/decidesFrom``). At a follower, it is the total by which the follower plays. At an
  /// idle peer, it is the level of the local player.
  public func totalActivity(at now: Instant) -> UInt8 {
    switch leadership {
    case .idle: return activity
    case .following: return schedule.total[schedule.tick(at: now)]
    case .leading(let leader):
      if now < leader.totals.decidesFrom { return schedule.total[schedule.tick(at: now)] }
      return computedTotal(at: now)
    }
  }

  /// The total of the local level and of the levels of all members that take part in the rhythm, were heard within
  /// ``activityPatience``, and for which the activity gate is open.
  func computedTotal(at now: Instant) -> UInt8 {
    let base = isActivitySet ? 0 : Self.moderateTotal
    // While no player has set an activity, the notes of all players add to the moderate total.
    var levels = [activity - localActivity.share]
    for (index, member) in roster.members.enumerated() {
      guard let membership = roster[member.slot].membership, let level = membership.level, membership.takesPart,
        now - membership.lastHeard <= Self.activityPatience, admits(.activity, from: member.identity)
      else { continue }
      let share = base == 0 ? 0 : share(ofRank: index + (identity < member.identity ? 1 : 0))
      levels.append(level - min(level, share))
    }
    return min(base + localActivity.rule.total(of: levels), 127)
  }

  /// The time without a packet from a peer after which its level no longer counts in the total.
  public static var activityPatience: Nanoseconds { .seconds(5) }

  /// Sets the activity of the player by keys or by a controller, 0...127.
  public mutating func setActivity(_ level: UInt8, at now: Instant) {
    localActivity.level.set(level, at: now)
    localActivity.isSet = true
    updateShare()
    advanceActivity(to: now)
  }

  /// Counts a note that the local player has struck.
  public mutating func played(at now: Instant) {
    localActivity.level.played(at: now)
    advanceActivity(to: now)
  }

  /// Handles a channel message from the peer with the identity `sender`. Only its level has an effect.
  public mutating func received(_ message: Message, from sender: Identity) {
    guard case .controlChange(Self.activityChannel, Self.levelController, let level) = message else { return }
    guard let slot = roster.memberSlot(of: sender) else {
      rejected += 1
      return
    }
    roster[slot].membership!.setLevel(level.value)
  }

  /// When ``advanceActivity(to:)`` has something to do next.
  var activityDeadline: Instant {
    let next = localActivity.nextDeadline
    switch leadership {
    case .idle: return next
    case .following(let follower):
      // The call is due at once if the present level was not sent yet, or if the schedule does not contain the required total yet.
      return hasSentLevel(follower) && !isOffTotal(under: follower.master) ? next : Instant(nanoseconds: .min)
    case .leading: return min(next, totalDecisionDeadline)
    }
  }

  /// Advances the level to `now`, and sends the level or the total if it has changed.
  mutating func advanceActivity(to now: Instant) {
    localActivity.level.advance(to: now)
    switch role {
    case .idle: break
    case .follower(let master):
      sendLevel(to: master, at: now)
      applyOwnTotal(under: master, at: now)
    case .master: decideTotal(at: now)
    }
  }

  /// Sends the level to the master if the level, the master or the claim has changed. The level changes at most 20 times a second
  /// (``ActivityLevel/step``). Each presence repeats the level.
  private mutating func sendLevel(to master: Identity, at now: Instant) {
    guard let claim, let follower, !hasSentLevel(follower) else { return }
    self.follower!.sentLevel = (activity, claim)
    send(Self.levelController, activity, at: now, to: master)
  }

  /// Whether the local peer has sent its present level to the master under the present claim.
  private func hasSentLevel(_ follower: Follower) -> Bool {
    guard let sent = follower.sentLevel else { return false }
    return sent.claim == claim && sent.level == activity
  }

  /// Sends a controller of ``activityChannel`` that applies at `instant` to a peer, or to all Tutti peers (nil).
  mutating func send(_ controller: UInt7, _ value: UInt8, at instant: Instant, to peer: Identity?) {
    let message = Message.controlChange(
      Self.activityChannel, controller: controller, value: UInt7(clamping: Int(value)))
    emit(.message(message, at: instant, to: peer))
  }
}
