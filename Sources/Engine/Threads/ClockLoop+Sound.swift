import Audio
import MusicalTime
import Rhythm

// What the clock thread passes to the audio threads.
extension ClockLoop {
  /// Passes the hits of the step that begins with `tick` to the audio threads. Does nothing if no step begins with `tick`.
  ///
  /// - Parameter now: The instant of the submission, which decides whether the hits are in time.
  @_noLocks @_noAllocation
  func play(_ tick: Tick, at now: Instant) {
    guard let step = tick.beginsStep else { return }
    let schedule = sender.schedule
    let instant = schedule.deadline(tick)
    let intensity = schedule.intensity.value(at: tick)
    let hits = table.hits(at: step)
    var index = hits.lowerBound
    while index < hits.upperBound {
      let hit = table.hit(index)
      if hit.sounds(at: intensity) {
        var event = SoundEvent(instant: instant, note: hit.note, velocity: hit.velocity, group: hit.group)
        event.submitted = now
        send(event)
      }
      index += 1
    }
  }

  /// Passes `event` to the first audio thread. If the peer has a sound card and a recording, also passes it to the second
  /// audio thread, which renders the recording.
  @_noLocks @_noAllocation
  func send(_ event: SoundEvent) {
    shared.sound.first.hits.push(event)
    if hasSecondAudioThread { shared.sound.recording.hits.push(event) }
  }
}
