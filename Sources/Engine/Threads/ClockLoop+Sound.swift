import Audio
import MusicalTime
import PeerProtocol
import Rhythm

// The sound events that the clock thread passes to the audio threads.
extension ClockLoop {
  /// Passes the hits of the step that begins with `tick` to the audio threads, and begins with the notes of the score in this step. Before
  /// the start of the rhythm, passes the click of the count-in instead, if there is one. Does nothing if no step begins with `tick`.
  ///
  /// - Parameter now: the instant of the submission, which decides whether the hits are in time.
  @_noLocks @_noAllocation
  mutating func play(_ tick: Tick, at now: Instant) {
    guard case .some = tick.beginsStep else { return }
    guard tick >= sender.schedule.start else { return click(tick, at: now) }
    let schedule = sender.schedule
    passAllScoreNotes(at: now)
    score.begin(tick, of: schedule)
    let (mix, line) = (schedule.mix[tick], schedule.rhythm[tick])
    if heldParts != 0 { endHeldNotes(at: tick, in: mix) }
    heldRun = schedule.run
    let (isFirst, isSecond) = (firstTable.describes(line.digest), secondTable.describes(line.digest))
    // A score can play without the rhythm.
    guard entry.sounds(at: tick, of: schedule, hasRhythm: isFirst || isSecond), schedule.score[tick].playsRhythm else {
      return releaseNotes(at: schedule.deadline(tick))
    }
    if isFirst {
      play(firstTable, line.step(at: tick), at: tick, now: now)
    } else {
      play(secondTable, line.step(at: tick), at: tick, now: now)
    }
  }

  /// Passes the hits of a step of a rhythm, which begins with `tick`, to the audio threads.
  @_noLocks @_noAllocation
  private mutating func play(_ rhythm: borrowing RhythmTable, _ step: Step, at tick: Tick, now: Instant) {
    let schedule = sender.schedule
    let mix = schedule.mix[tick]
    sender.patternLength = Int64(rhythm.table.stepCount)
    var cursor = rhythm.table.cursor(
      at: step, activity: schedule.total[tick], playsFill: schedule.wantsFill(at: tick))
    while let hit = rhythm.table.next(&cursor) {
      let velocity = mix.velocity(hit.velocity, ofPart: hit.part.number)
      guard velocity > 0, var event = SoundEvent(hit, velocity: velocity, at: tick, of: schedule) else { continue }
      if hit.end > 0 { heldParts |= 1 &<< hit.part.number }
      event.submitted = now
      send(event)
    }
  }

  /// Ends the held notes of the parts that are silent in `mix`, at `tick`. If the present run does not continue the run of the previous
  /// step, ends the held notes of all parts.
  @_noLocks @_noAllocation
  private mutating func endHeldNotes(at tick: Tick, in mix: Mix) {
    let schedule = sender.schedule
    let instant = schedule.deadline(tick)
    if !schedule.continuesRun(from: heldRun) { return releaseNotes(at: instant) }
    var part: UInt8 = 1
    while part <= DrumLanes.partCount {
      if heldParts & 1 &<< part != 0, mix.velocity(127, ofPart: part) == 0 {
        heldParts &= ~(1 &<< part)
        send(SoundEvent.release(of: part, at: instant))
      }
      part &+= 1
    }
  }

  /// Ends the notes of all pitched parts.
  @_noLocks @_noAllocation
  mutating func releaseNotes(at instant: Instant) {
    guard heldParts != 0 else { return }
    heldParts = 0
    // Part 0 stands for all pitched parts.
    send(SoundEvent.release(of: 0, at: instant))
  }

  /// Passes the click of the count-in at `tick` to the audio threads, if there is one. The first click is higher.
  @_noLocks @_noAllocation
  private func click(_ tick: Tick, at now: Instant) {
    let schedule = sender.schedule
    guard schedule.clicks(at: tick), !schedule.mix[tick].isQuiet else { return }
    let isFirst = schedule.start - tick == schedule.countIn.ticks
    // High and low wood block of General MIDI. Group 0: no cut-off group.
    var event = SoundEvent(
      instant: schedule.deadline(tick), note: isFirst ? 76 : 77, velocity: isFirst ? 120 : 96, group: 0)
    event.submitted = now
    send(event)
  }

  /// Passes a click of a calibration to the audio threads. Like the pages, the peer plays the claves of General MIDI. A MIDI recording does
  /// not get the click.
  @_noLocks @_noAllocation
  func playCalibrationClick(at instant: Instant, submitted now: Instant) {
    var event = SoundEvent(instant: instant, note: 75, velocity: 127, group: 0)
    event.submitted = now
    shared.sound.first.hits.push(event)
    if hasSecondAudioThread { shared.sound.recording.hits.push(event) }
  }

  /// Passes `event` to the first audio thread. If the peer has a sound card and a recording, also passes `event` to the second
  /// audio thread, which renders the recording. If there is a MIDI recording, it gets `event`, too.
  @_noLocks @_noAllocation
  func send(_ event: SoundEvent) {
    shared.sound.first.hits.push(event)
    if hasSecondAudioThread { shared.sound.recording.hits.push(event) }
    if let recording = shared.recording { recording.hits.push(event) }
  }
}
