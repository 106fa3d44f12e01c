import MIDI
import MusicalTime
import PeerProtocol
import Playback

// How the master decides the total activity.
//
// Every peer reports its activity level to the master. The total activity decides which layers sound. Shortly before each
// beat, the master decides the total that applies from that beat on, and sends it to all Tutti peers if it has changed.
// ``TotalSchedule`` contains the deadlines of the decisions. If the layers of the patch change on bars, "beat" below means the
// beginning of a bar.
//
// A total that rises and falls around the threshold of a layer must not switch the layer on every beat. Therefore, after a
// rise, the total falls no earlier than one bar later, and after a fall, it rises no earlier than one bar later. The total thus
// crosses a threshold at most once within the length of a bar. Followers apply the totals as they are, so all peers play the same
// layers.
extension EnsembleState {
  /// The largest number of replies with the total to a new follower alone (``reportTotal(to:_:reporting:at:)``). On a simulated network
  /// that loses a fifth of the packets, in bursts, three messages within two seconds were sometimes all lost.
  private static var totalReportsToNewFollower: Int { 8 }

  /// Sends the total again if a repeat is due, and decides the total of the next beat if the decision is due.
  mutating func decideTotal(at now: Instant) {
    guard let previousBeat = leader?.totals.decidedBeat ?? beginTotals(at: now) else { return }
    while leader!.totals.repeats.take(at: now) { sendTotal(to: nil) }
    guard now >= leader!.totals.decisionDeadline(in: schedule, lead: lead, grid: layerGrid) else { return }
    // The next beat, or, at high tempos, the first beat that is at least the lead time ahead.
    let soonest = (schedule.firstTick(notBefore: now + lead) + (layerGrid - 1)).roundedDown(to: layerGrid)
    let beat = max(previousBeat + layerGrid, soonest)
    // The beat counts as decided even if the total stays the same.
    leader!.totals.decidedBeat = beat
    let total = totalActivity(at: now)
    // A schedule has room for only one pending change. At high tempos a change is still pending when the decision about the
    // next beat is due. The total can then change only every second beat, or less often.
    let isPending =
      schedule.total.isChanging && schedule.deadline(schedule.total.tick) > now
    let present = schedule.total.next
    let changesTotal =
      total != present && !isPending && now >= leader!.totals.decidesFrom
      && leader!.totals.permitsChange(rises: total > present, at: beat, ticksPerBar: ticksPerBar)
    guard changesTotal else {
      // Like the timeline message, the total is repeated once per bar, for peers that have missed all earlier messages. If a
      // total is pending, only the pending total is repeated.
      guard beat.index / ticksPerBar != previousBeat.index / ticksPerBar else { return }
      return isPending ? sendTotal(to: nil) : sendTotal(to: nil, at: now)
    }
    play(ChangingValue(present, next: total, from: beat))
    leader!.totals.lastChange = (beat, total > present)
    announceTotal(at: now)
  }

  /// The distance in ticks between the positions at which the total can change.
  var layerGrid: Int64 {
    switch layerChange {
    case .beat: Tick.perQuarter
    case .bar: ticksPerBar
    }
  }

  /// The greatest common divisor of a quarter note and a bar, in ticks: a quarter note in 4/4, an eighth note in
  /// 7/8. Every beat or bar on which a master changes the total is a multiple of it.
  var beatGrid: Int64 {
    var (divisor, rest) = (Tick.perQuarter, ticksPerBar)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    return divisor
  }

  /// Begins to decide totals as the new master. If the first tick of the rhythm is in the future, the total of the known levels
  /// applies from the first tick. If the rhythm was taken over, even before its first tick (``TotalSchedule/computesFrom``), or restored
  /// after a crash, its total remains unchanged for ``TotalSchedule/inquiry``. In this time all peers send their level.
  ///
  /// - Returns: the beat that now counts as decided; nil if the local peer is not the master.
  private mutating func beginTotals(at now: Instant) -> Tick? {
    guard role == .master else { return nil }
    roster.resetTotalReports()
    let beat: Tick
    if let start = timelineMessage?.start, schedule.deadline(start) > now, now >= leader!.totals.computesFrom {
      beat = start.roundedDown(to: layerGrid)
      leader!.totals.decidedBeat = beat
      play(ChangingValue(totalActivity(at: now), next: totalActivity(at: now), from: beat))
      announceTotal(at: now)
      // The first total counts all known levels, for example those from an earlier rhythm. From the next beat on, a peer
      // counts only after it has reported its level in this rhythm. All peers are therefore marked as absent.
      roster.markAllAbsent()
    } else {
      beat = schedule.tick(at: now + lead).roundedDown(to: layerGrid)
      leader!.totals.decidedBeat = beat
      leader!.totals.decidesFrom = now + TotalSchedule.inquiry
    }
    return beat
  }

  /// Sends the total three times within the lead time, like the timeline message.
  private mutating func announceTotal(at now: Instant) {
    sendTotal(to: nil)
    let repeats = Repeats(at: [now + Nanoseconds(lead.count / 8), now + Nanoseconds(lead.count / 4)])
    leader!.totals.repeats = repeats
  }

  /// Sends the newest total with the instant of the beat from which it applies, to a peer or to all (nil).
  private mutating func sendTotal(to peer: Identity?) {
    send(Self.totalController, schedule.total.next, at: schedule.deadline(schedule.total.tick), to: peer)
  }

  /// Sends the total that applies at `now`, and the pending total if there is one, to a peer or to all (nil).
  private mutating func sendTotal(to peer: Identity?, at now: Instant) {
    let present = schedule.tick(at: now)
    let isPending = schedule.total.isChanging && schedule.total.tick > present
    send(Self.totalController, schedule.total[present], at: schedule.deadline(present.beat), to: peer)
    if isPending { sendTotal(to: peer) }
  }

  /// Sends the total to a new follower, in reply to each of its first eight presences (``totalReportsToNewFollower``) that
  /// report the claim. Otherwise the total is sent only on change and once per bar.
  ///
  /// The recovery journal does not help a new follower, because it repairs only losses. The peer may already have received
  /// the same value under another rhythm and ignored it. The journal does not deliver that value again.
  ///
  /// - Parameters:
  ///   - slot: the slot of the follower in the roster.
  ///   - peer: its identity.
  ///   - claim: the claim that its presence reports.
  mutating func reportTotal(to slot: Roster.Slot, _ peer: Identity, reporting claim: Claim?, at now: Instant) {
    guard claim == self.claim, leader?.totals.decidedBeat != nil else {
      roster[slot].membership?.totalReports = 0
      return
    }
    guard let reports = roster[slot].membership?.totalReports, reports < Self.totalReportsToNewFollower else { return }
    roster[slot].membership!.totalReports = reports + 1
    sendTotal(to: peer, at: now)
  }
}

extension Roster {
  /// Marks all members as not known to take part in the rhythm, because a new rhythm or a new claim begins.
  mutating func markAllAbsent() {
    for member in members { self[member.slot].membership!.takesPart = false }
  }

  /// Records that no member has received a total from the local peer, which is a new master.
  mutating func resetTotalReports() {
    for member in members { self[member.slot].membership!.totalReports = 0 }
  }
}

extension Tick {
  /// The first tick of the quarter note that contains this tick.
  var beat: Tick { roundedDown(to: Tick.perQuarter) }

  /// This tick, rounded down to a multiple of `distance`.
  func roundedDown(to distance: Int64) -> Tick {
    let remainder = index % distance
    return Tick(index - (remainder < 0 ? remainder + distance : remainder))
  }
}
