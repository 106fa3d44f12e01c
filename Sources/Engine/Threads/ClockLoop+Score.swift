import Audio
import MusicalTime
import Playback
import Sending

// The notes of the score that the clock thread passes to the audio threads and sends to MIDI devices.
extension ClockLoop {
  /// The maximum number of notes that are passed before the loop checks the deadlines again.
  private static var noteSlice: Int { @_noLocks @_noAllocation get { 16 } }

  /// Passes up to ``noteSlice`` notes of the step of the score to the audio threads.
  ///
  /// - Parameter now: the instant of the submission.
  /// - Returns: false if there is no further note.
  @_noLocks @_noAllocation
  mutating func passScoreNotes(at now: Instant) -> Bool {
    guard score.isPassing else { return false }
    let schedule = sender.schedule
    let step = schedule.deadline(score.step)
    var count = 0
    while count < Self.noteSlice {
      guard let (note, position) = score.nextNote() else {
        guard score.hasTicks else {
          score.finishStep()
          return false
        }
        if let tick = score.beginTicks(of: schedule) { releaseScore(at: schedule.deadline(tick)) }
        continue
      }
      count += 1
      let start = instant(position, of: schedule)
      let end = instant(position &+ Int64(note.length), of: schedule)
      scoreMessages.add(note, from: start, until: end, step: step)
      let velocity = score.levels.velocity(of: note)
      guard velocity > 0 else { continue }
      var event = SoundEvent(note, velocity: velocity, from: start, until: end, step: step)
      event.submitted = now
      score.isSounding = true
      send(event)
    }
    return true
  }

  /// Sends the next message to a MIDI device if it is due.
  ///
  /// - Returns: whether there was a message.
  @_noLocks @_noAllocation
  mutating func sendScoreMessage(at now: Instant) -> Bool {
    guard let (message, instant, target) = scoreMessages.take(at: now) else { return false }
    switch target {
    case .port(let address): port?.pass(message, to: address)
    case .stream(let stream): sender.execute(.message(StreamMessage(message, at: instant, to: .stream(stream))))
    }
    return true
  }

  /// Passes all remaining notes of the step, because the schedule, a table or the step changes.
  @_noLocks @_noAllocation
  mutating func passAllScoreNotes(at now: Instant) { while passScoreNotes(at: now) {} }

  /// The instant at which a position of the score is due, in thousandths of a tick after the origin of the line.
  @_noLocks @_noAllocation
  private func instant(_ position: Int64, of schedule: PlaybackSchedule) -> Instant {
    schedule.instant(score.origin + position / 1000, position: Int32(truncatingIfNeeded: position % 1000))
  }

  /// Ends all notes of the score.
  @_noLocks @_noAllocation
  mutating func releaseScore(at instant: Instant) {
    score.isSounding = false
    send(SoundEvent.releaseScore(at: instant))
    scoreMessages.release(at: instant)
  }

  /// Takes the newest tables, levels and routes. Mutes the parts whose level has become 0.
  @_noLocks @_noAllocation
  mutating func adoptScore(at now: Instant) {
    if let table = shared.scores.0.take() {
      passAllScoreNotes(at: now)
      score.first = table
    }
    if let table = shared.scores.1.take() {
      passAllScoreNotes(at: now)
      score.second = table
    }
    if let routes = shared.scoreRoutes.take() { scoreMessages.adopt(routes, at: now) }
    guard let levels = shared.scoreLevels.take() else { return }
    var part = 0
    while part < 64 {
      if levels[part] == 0, score.levels[part] != 0 {
        send(SoundEvent.mute(scorePart: UInt8(truncatingIfNeeded: part), at: now))
      }
      part += 1
    }
    score.levels = levels
  }
}
