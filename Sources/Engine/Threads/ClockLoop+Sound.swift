import Audio
import MusicalTime
import Rhythm

// What the clock thread passes to the audio threads.
extension ClockLoop {
  /// Passes the hits of the step that begins with `tick` to the audio threads. Does nothing if no step begins with `tick`.
  ///
  /// - Parameter now: The instant of the submission, which decides whether the hits are in time.
  @_noLocks @_noAllocation
  mutating func play(_ tick: Tick, at now: Instant) {
    guard let step = tick.beginsStep else { return }
    guard tick >= sender.schedule.start else { return click(tick, at: now) }
    // A waiting patch begins with one of its bars.
    if hasNextTable, step.index % Int64(nextTable.stepsPerBar) == 0 { adoptNextTable() }
    let schedule = sender.schedule
    let mix = schedule.mix(at: tick)
    var cursor = table.cursor(at: step, activity: schedule.intensity.value(at: tick))
    while let hit = table.next(&cursor) {
      let velocity = mix.velocity(hit.velocity, ofPart: hit.part.number)
      guard velocity > 0, var event = SoundEvent(hit, velocity: velocity, at: tick, of: schedule) else { continue }
      if hit.duration > 0 { holdsNotes = true }
      event.submitted = now
      send(event)
    }
  }

  /// Ends the notes of the pitched parts, which may be longer than the rhythm.
  @_noLocks @_noAllocation
  mutating func releaseNotes(at now: Instant) {
    guard holdsNotes else { return }
    holdsNotes = false
    var event = SoundEvent.release(at: now)
    event.submitted = now
    send(event)
  }

  /// Passes the click of the count-in at `tick` to the audio threads, if there is one. The first click is higher.
  @_noLocks @_noAllocation
  private func click(_ tick: Tick, at now: Instant) {
    let schedule = sender.schedule
    guard schedule.clicks(at: tick) else { return }
    let isFirst = schedule.start - tick == schedule.countIn.ticks
    // High and low wood block of General MIDI.
    var event = SoundEvent(
      instant: schedule.deadline(tick), note: isFirst ? 76 : 77, velocity: isFirst ? 120 : 96, group: 0)
    event.submitted = now
    send(event)
  }

  /// Passes `event` to the first audio thread. If the peer has a sound card and a recording, also passes it to the second
  /// audio thread, which renders the recording. A MIDI recording gets it, too.
  @_noLocks @_noAllocation
  func send(_ event: SoundEvent) {
    shared.sound.first.hits.push(event)
    if hasSecondAudioThread { shared.sound.recording.hits.push(event) }
    if let recording = shared.recording { recording.hits.push(event) }
  }
}
