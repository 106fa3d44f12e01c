public import Audio
public import MusicalTime
public import Playback
public import Rhythm

extension SoundEvent {
  /// Creates the event of a hit of the step that begins with `tick`.
  ///
  /// Nothing sounds before the beginning of the rhythm. A hit that would sound earlier sounds at the beginning. A grace note that
  /// would sound earlier does not sound: the result is nil.
  ///
  /// - Parameter velocity: the velocity in the present mix, 1...127.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(_ hit: Hit, velocity: UInt8, at tick: Tick, of schedule: PlaybackSchedule) {
    let (start, step) = (schedule.deadline(schedule.start), schedule.deadline(tick))
    var instant = schedule.instant(tick, position: hit.position) + hit.delay
    if instant < start {
      if hit.isGrace { return nil }
      instant = start
    }
    if case .drums = hit.part {
      self.init(instant: instant, note: hit.note, velocity: velocity, group: hit.group, step: step)
    } else {
      self.init(
        instant: instant, until: schedule.deadline(tick + Int64(hit.end)) + hit.delay, key: hit.note,
        velocity: velocity, part: hit.part.number, program: hit.program, step: step)
    }
  }
}
