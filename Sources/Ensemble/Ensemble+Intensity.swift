import MusicalTime
import PeerProtocol
import Playback

// The total as the others play by it.
extension Ensemble {
  /// A total that is to count further away than this is taken for one that does not say when.
  private static var farthest: Nanoseconds { .seconds(10) }

  /// The master tells a total.
  mutating func heard(_ told: ActivityExchange.Told, at now: Instant) {
    guard planned else {
      if activities.early.count == 2 { activities.early.removeFirst() }
      return activities.early.append(told)
    }
    guard let claim, admits(.activity, from: claim.identity) else {
      activities.heard = told.value
      return
    }
    noteRun()
    let present = schedule.tick(at: now)
    let old = schedule.intensity
    let halfTick = Nanoseconds(schedule.timeline.tempo.nanosecondsPerQuarter / (2 * Tick.perQuarter))
    let tick = schedule.tick(atMaster: told.instant + halfTick)
    let isFar = (schedule.deadline(tick) - now).magnitude > Self.farthest
    if told.isRecovered || isFar || tick.index.magnitude > 1 << 50 {
      activities.heard = told.value
      return change(to: told.value, at: now)
    }
    let beat = (tick + Tick.perQuarter / 2).beat
    // Overtaken by a newer one.
    if !activities.isGuess, old.changeTick != Tick(.max), beat < old.changeTick { return }
    activities.heard = told.value
    let before = activities.isGuess && old.changeTick > present ? old.value : old.value(at: beat + -1)
    activities.isGuess = false
    play(Intensity(before, next: told.value, from: beat))
  }

  /// Plays by the total that the master told; by the own level while it has told none, and while it is not let.
  mutating func goByTotal(of master: Identity, at now: Instant) {
    guard planned else { return }
    let early = activities.early
    activities.early = []
    if noteRun(), activities.heard == nil { play(Intensity(activity)) }
    for told in early { heard(told, at: now) }
    change(to: goal(under: master), at: now)
  }

  /// Whether the run is another than before. The beats that its master has decided upon are its own: a change that stands
  /// from the run before, or from the own decision as master, gives way to whatever this one tells.
  @discardableResult
  private mutating func noteRun() -> Bool {
    guard activities.run != schedule.run else { return false }
    (activities.run, activities.isGuess) = (schedule.run, true)
    return true
  }

  /// Whether ``goByTotal(of:at:)`` has something to do.
  func isOffTotal(of master: Identity) -> Bool {
    guard planned else { return false }
    return activities.run != schedule.run || !activities.early.isEmpty || schedule.intensity.next != goal(under: master)
  }

  private func goal(under master: Identity) -> UInt8 {
    admits(.activity, from: master) ? activities.heard ?? activity : activity
  }

  /// Changes to `total` at the next beat of which nothing is with the sound yet, unless that is what is played anyway.
  private mutating func change(to total: UInt8, at now: Instant) {
    let old = schedule.intensity
    guard total != old.next else { return }
    let present = schedule.tick(at: now)
    let isPending = old.changeTick != Tick(.max) && old.changeTick > present
    let beat = (schedule.firstTick(notBefore: now + soundLead) + (Tick.perQuarter - 1)).beat
    activities.isGuess = true
    play(Intensity(isPending ? old.value : old.next, next: total, from: beat))
  }

  private mutating func play(_ intensity: Intensity) {
    guard intensity != schedule.intensity else { return }
    schedule.intensity = intensity
    emit(.play(schedule))
  }

  /// The intensity as it goes on in `next`, in which ticks may be counted from elsewhere: what is to come comes at the same
  /// instant. What was to come in a rhythm that has ended meanwhile never does.
  func intensity(goingOnIn next: PlaybackSchedule, at now: Instant) -> Intensity {
    var intensity = schedule.intensity
    guard intensity.changeTick != Tick(.max) else { return intensity }
    let (mine, theirs) = (schedule.tick(at: now), next.tick(at: now))
    if abs(theirs - mine) > Tick.perQuarter { intensity.changeTick = intensity.changeTick + (theirs - mine) }
    let isFar = intensity.changeTick > theirs && next.deadline(intensity.changeTick) - now > Self.farthest
    return isFar ? Intensity(intensity.value) : intensity
  }
}
