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

  /// The smoothed activity of the local peer, 0...127: the sum of its players. While no player has set an activity, it contains the part of
  /// the local peer in ``moderateTotal``.
  public var activity: UInt8 { UInt8(min(players.summary.sum + Int(localActivity.share), 127)) }

  /// The energy of the local player, 0...127. While no player has set an activity, it contains the part of the local peer in
  /// ``moderateTotal``.
  public var localEnergy: UInt8 { min(players.local.level.value + localActivity.share, 127) }

  /// The part of the local player in ``moderateTotal``; 0 if a player has set an activity.
  public var activityShare: UInt8 { localActivity.share }

  /// The base value of the local player, set by keys or by a controller, 0...127; nil: none.
  public var heldActivity: UInt8? { players.local.isSet ? players.local.level.held : nil }

  /// Whether a player of the local peer or of a member has set an activity.
  private var isActivitySet: Bool {
    players.isSet || roster.members.contains { roster[$0.slot].membership?.presence?.hasSetActivity == true }
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

  /// How the master combines the energies of the players. While a rhythm plays, the rule of the rhythm; otherwise, the one with which the
  /// local peer would start a rhythm. It never changes by itself while a rhythm plays.
  public var totalActivityRule: TotalActivityRule {
    if role != .idle, let timelineMessage { return timelineMessage.totalRule }
    return localActivity.rule ?? TotalActivityRule(players: playerCount)
  }

  /// Sets how the local peer combines the energies while it is the master.
  public mutating func chooseRule(_ rule: TotalActivityRule, at now: Instant) {
    localActivity.rule = rule
    guard role == .master, keptFor == nil, timelineMessage?.totalRule != rule else { return }
    timelineMessage!.totalRule = rule
    announce(at: now)
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

  /// The total of the players of the local peer and of all members that take part in the rhythm, were heard within
  /// ``activityPatience``, and for which the activity gate is open.
  ///
  /// A player that has moved to another peer counts there only.
  func computedTotal(at now: Instant) -> UInt8 {
    let base = isActivitySet ? 0 : Self.moderateTotal
    // While no player has set an activity, the notes of all players add to the moderate total.
    var all = players.summary
    for (index, member) in roster.members.enumerated() {
      guard let membership = roster[member.slot].membership, let level = membership.level, membership.takesPart,
        now - membership.lastHeard <= Self.activityPatience, admits(.activity, from: member.identity)
      else { continue }
      let share = base == 0 ? 0 : share(ofRank: index + (identity < member.identity ? 1 : 0))
      let summary = membership.summary(level: Int(level - min(level, share)))
      all.count += summary.count
      all.sum += summary.sum
      all.maximum = max(all.maximum, summary.maximum)
    }
    return min(base + totalActivityRule.total(count: all.count, sum: all.sum, maximum: all.maximum), 127)
  }

  /// The time without a packet from a peer after which its level no longer counts in the total.
  public static var activityPatience: Nanoseconds { .seconds(5) }

  /// Sets the base value of a player by keys, a slider or a controller, 0...127.
  ///
  /// - Parameter player: a page or a device; nil: the local player.
  public mutating func setActivity(_ level: UInt8, of player: Identity? = nil, at now: Instant) {
    players.changeLevel(of: player, sets: true) { $0.set(level, at: now) }
    updateShare()
    advanceActivity(to: now)
  }

  /// Counts a note that a player has struck.
  ///
  /// - Parameter player: a page or a device; nil: the local player.
  public mutating func played(by player: Identity? = nil, at now: Instant) {
    players.changeLevel(of: player, sets: false) { $0.played(at: now) }
    advanceActivity(to: now)
  }

  /// Sets the strength of the present movement of a player, 0...127.
  public mutating func moved(_ strength: UInt8, by player: Identity, at now: Instant) {
    players.changeLevel(of: player, sets: false) { $0.move(strength, at: now) }
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
    let next = players.nextDeadline
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
    players.advance(to: now)
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
    // A master that is heard through another member gets the level in the presence.
    if let relay = relay(of: master).flatMap({ roster.memberSlot(of: $0) }) {
      present(to: relay, isNews: false, at: now)
      return
    }
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
