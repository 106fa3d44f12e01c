import MusicalTime
import PeerProtocol
import Playback

// The total as a follower plays by it.
extension EnsembleState {
  /// A total that applies further away than this counts as one without an instant.
  private static var farthest: Nanoseconds { .seconds(10) }

  /// The master has reported a total.
  mutating func received(_ report: FollowedTotals.Report, at now: Instant) {
    guard isScheduled else {
      let newer = follower!.totals.early.newer
      follower!.totals.early = (newer, report)
      return
    }
    guard let claim, admits(.activity, from: claim.identity) else {
      localActivity.lastTotal = report.value
      return
    }
    noteRun()
    let present = schedule.tick(at: now)
    let old = schedule.intensity
    let halfTick = Nanoseconds(schedule.timeline.tempo.nanosecondsPerQuarter / (2 * Tick.perQuarter))
    let tick = schedule.tick(atMaster: report.instant + halfTick)
    let isFar = (schedule.deadline(tick) - now).magnitude > Self.farthest
    if report.isRecovered || isFar || tick.index.magnitude > 1 << 50 {
      localActivity.lastTotal = report.value
      return change(to: report.value, at: now)
    }
    let beat = (tick + Tick.perQuarter / 2).beat
    let isEstimated = follower!.totals.isEstimated
    // A newer total has already arrived.
    if !isEstimated, old.changeTick != Tick(.max), beat < old.changeTick { return }
    localActivity.lastTotal = report.value
    let before = isEstimated && old.changeTick > present ? old.value : old.value(at: beat + -1)
    follower!.totals.isEstimated = false
    play(Intensity(before, next: report.value, from: beat))
  }

  /// Plays by the last total of the master. Plays by the local level while the master has reported no total, and while its
  /// activity gate is closed.
  mutating func applyTotal(of master: Identity, at now: Instant) {
    guard isScheduled else { return }
    let early = follower!.totals.early
    if early.newer != nil { follower!.totals.early = (nil, nil) }
    if noteRun(), localActivity.lastTotal == nil { play(Intensity(activity)) }
    if let report = early.older { received(report, at: now) }
    if let report = early.newer { received(report, at: now) }
    change(to: goal(under: master), at: now)
  }

  /// Records the run. A pending change from an earlier run, or from a decision of the local peer as the master, gives way to
  /// the first total of the new run, whose master decides about other beats.
  ///
  /// - Returns: whether the run has changed.
  @discardableResult
  private mutating func noteRun() -> Bool {
    guard follower!.totals.run != schedule.run else { return false }
    (follower!.totals.run, follower!.totals.isEstimated) = (schedule.run, true)
    return true
  }

  /// Whether ``applyTotal(of:at:)`` has something to do.
  func isOffTotal(_ follower: Follower) -> Bool {
    guard follower.playing != nil else { return false }
    return follower.totals.run != schedule.run || follower.totals.early.newer != nil
      || schedule.intensity.next != goal(under: follower.master)
  }

  private func goal(under master: Identity) -> UInt8 {
    admits(.activity, from: master) ? localActivity.lastTotal ?? activity : activity
  }

  /// Changes to `total` at the next beat of which no step is passed to the audio output yet, unless `total` is already the
  /// newest value.
  private mutating func change(to total: UInt8, at now: Instant) {
    let old = schedule.intensity
    guard total != old.next else { return }
    let present = schedule.tick(at: now)
    let isPending = old.changeTick != Tick(.max) && old.changeTick > present
    let beat = (schedule.firstTick(notBefore: now + soundLead) + (Tick.perQuarter - 1)).beat
    follower!.totals.isEstimated = true
    play(Intensity(isPending ? old.value : old.next, next: total, from: beat))
  }

  private mutating func play(_ intensity: Intensity) {
    guard intensity != schedule.intensity else { return }
    schedule.intensity = intensity
    emit(.play(schedule))
  }

  /// The present intensity, converted to the ticks of `next`: a pending change applies at the same instant. A pending change
  /// of a rhythm that ends before is dropped.
  func intensity(continuedIn next: PlaybackSchedule, at now: Instant) -> Intensity {
    var intensity = schedule.intensity
    guard intensity.changeTick != Tick(.max) else { return intensity }
    let (present, tick) = (schedule.tick(at: now), next.tick(at: now))
    if abs(tick - present) > Tick.perQuarter { intensity.changeTick = intensity.changeTick + (tick - present) }
    let isFar = intensity.changeTick > tick && next.deadline(intensity.changeTick) - now > Self.farthest
    return isFar ? Intensity(intensity.value) : intensity
  }
}
