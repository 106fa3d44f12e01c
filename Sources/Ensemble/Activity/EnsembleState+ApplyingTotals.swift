import MusicalTime
import PeerProtocol
import Playback

// How a follower applies the totals that its master reports. For each total, the follower determines the beat from which the
// total selects the layers.
//
// The intensity of the schedule contains the total that applies now and at most one pending total, with the tick from which
// the pending total applies: `changeTick`, which is `Tick(.max)` if there is no pending total. A pending total is *estimated* if the
// local peer has chosen this tick itself, because the master's instant was not known.
extension EnsembleState {
  /// The largest time between now and the instant of a total, in either direction. A total with a more distant instant is treated like
  /// a total without an instant.
  private static var farthest: Nanoseconds { .seconds(10) }

  /// Handles a total that the master has reported.
  ///
  /// While the rhythm cannot be played yet (not ``isScheduled``), the last two totals are kept for later: the present one and a pending
  /// one. Afterwards, a total with a usable instant applies from the beat that is nearest to the instant. A total without a usable
  /// instant applies from the next beat that can still be changed.
  mutating func received(_ report: ReceivedTotals.Report, at now: Instant) {
    guard isScheduled else {
      let newer = follower!.totals.early.newer
      follower!.totals.early = (newer, report)
      return
    }
    guard let claim, admits(.activity, from: claim.identity) else {
      // The gate is closed. The total applies when the gate is opened.
      localActivity.lastTotal = report.value
      return
    }
    recordRun()
    let present = schedule.tick(at: now)
    let old = schedule.total
    // `tick(atMaster:)` rounds down. Half a tick is added, so that the result is the nearest tick.
    let halfTick = Nanoseconds(schedule.timeline.tempo.nanosecondsPerQuarter / (2 * Tick.perQuarter))
    let tick = schedule.tick(atMaster: report.instant + halfTick)
    let isFar = (schedule.deadline(tick) - now).magnitude > Self.farthest
    // A total from a recovery journal has no instant. The last condition excludes ticks for which the arithmetic below could
    // overflow.
    if report.isRecovered || isFar || tick.index.magnitude > 1 << 50 {
      localActivity.lastTotal = report.value
      return change(to: report.value, at: now)
    }
    // The resolution of the instant is 100 us (the unit of RTP time stamps), so the instant can be shortly before or after the beat or
    // bar that the master has chosen. All beats and bars of the local patch are on `beatGrid`. The bars of the master's patch can have
    // another length, so an instant that is not near this grid stands for the nearest step.
    let nearest = (tick + beatGrid / 2).roundedDown(to: beatGrid)
    let isNear = abs(tick - nearest) < Tick.perStep
    let beat = isNear ? nearest : (tick + Tick.perStep / 2).roundedDown(to: Tick.perStep)
    let isEstimated = follower!.totals.isEstimated
    // If the pending change is also from the master and applies later, this report is older and has arrived late.
    if !isEstimated, old.isChanging, beat < old.tick { return }
    localActivity.lastTotal = report.value
    // A pending estimated change is replaced. Any other change stays in force up to the beat.
    let valueBefore = isEstimated && old.tick > present ? old.value : old[beat + -1]
    follower!.totals.isEstimated = false
    play(ChangingValue(valueBefore, next: report.value, from: beat))
  }

  /// Plays by the last total of the master. While the master has reported no total, and while the activity gate is closed to the
  /// master, plays by the level of the local player.
  mutating func applyTotal(of master: Identity, at now: Instant) {
    guard isScheduled else { return }
    let early = follower!.totals.early
    if early.newer != nil { follower!.totals.early = (nil, nil) }
    // A new run begins with the local level if the master has reported no total.
    if recordRun(), localActivity.lastTotal == nil { play(ChangingValue(activity)) }
    if let report = early.older { received(report, at: now) }
    if let report = early.newer { received(report, at: now) }
    change(to: requiredTotal(under: master), at: now)
  }

  /// Records the run of the schedule. If the run is new, a pending change comes from an earlier run, or from a decision of the
  /// local peer as the master. The pending change then counts as estimated, so that the first total of the new master replaces it.
  ///
  /// - Returns: whether the run has changed.
  @discardableResult
  private mutating func recordRun() -> Bool {
    guard follower!.totals.run != schedule.run else { return false }
    (follower!.totals.run, follower!.totals.isEstimated) = (schedule.run, true)
    return true
  }

  /// Whether the local peer plays by a total that is not the required one, so that ``applyTotal(of:at:)`` must be called.
  func isOffTotal(_ follower: Follower) -> Bool {
    guard follower.playing != nil else { return false }
    return follower.totals.run != schedule.run || follower.totals.early.newer != nil
      || schedule.total.next != requiredTotal(under: follower.master)
  }

  /// The total by which the local peer must play: the last total that the master has reported. While the master has reported
  /// no total, and while the activity gate is closed to the master, the result is the level of the local player.
  private func requiredTotal(under master: Identity) -> UInt8 {
    admits(.activity, from: master) ? localActivity.lastTotal ?? activity : activity
  }

  /// Changes to `total` at the next beat of which no step is passed to the audio output yet, unless `total` is already the
  /// newest value.
  private mutating func change(to total: UInt8, at now: Instant) {
    let old = schedule.total
    guard total != old.next else { return }
    let present = schedule.tick(at: now)
    let isPending = old.isChanging && old.tick > present
    let beat = (schedule.firstTick(notBefore: now + soundLead) + (Tick.perQuarter - 1)).beat
    follower!.totals.isEstimated = true
    play(ChangingValue(isPending ? old.value : old.next, next: total, from: beat))
  }

  /// Plays by this total from now on.
  mutating func play(_ total: ChangingValue<UInt8>) {
    guard var run else { return }
    run.total = total
    play(run)
  }

  /// The present total, converted to the ticks of the schedule `next`, which replaces the present schedule. A pending change stays at
  /// the same instant. It is dropped if this instant is more than ``farthest`` from now.
  func total(continuedIn next: PlaybackSchedule, at now: Instant) -> ChangingValue<UInt8> {
    let total = schedule.total
    guard total.isChanging else { return total }
    let (present, tick) = (schedule.tick(at: now), next.tick(at: now))
    // If the positions differ by at most a quarter note, both schedules play the same rhythm, and the tick numbers agree.
    let changeTick = abs(tick - present) > Tick.perQuarter ? total.tick + (tick - present) : total.tick
    if changeTick > tick, next.deadline(changeTick) - now > Self.farthest { return ChangingValue(total.value) }
    return ChangingValue(total.value, next: total.next, from: changeTick)
  }
}
