import Audio
import MusicalTime
import Rhythm

// What the clock thread passes to the audio threads.
extension ClockLoop {
  /// Passes the hits of the step that begins with `tick` to the sound.
  @_noLocks @_noAllocation
  func play(_ tick: Tick, at now: Instant) {
    guard let step = tick.beginsStep else { return }
    let schedule = sender.schedule
    let instant = schedule.deadline(tick)
    let activity = schedule.intensity.value(at: tick)
    let hits = table.hits(at: step)
    var index = hits.lowerBound
    while index < hits.upperBound {
      let hit = table.hit(index)
      if hit.sounds(at: activity) {
        var event = SoundEvent(instant: instant, note: hit.note, velocity: hit.velocity, group: hit.group)
        event.submitted = now
        send(event)
      }
      index += 1
    }
  }

  /// Passes `event` to the sound, and to the recording if there are both.
  @_noLocks @_noAllocation
  func send(_ event: SoundEvent) {
    shared.sounds.push(event)
    if records { shared.recorded.push(event) }
  }
}
