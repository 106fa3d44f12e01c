import MIDI
import MusicalTime
import Playback
import Rhythm

/// Repeats a phrase, a melody on the steps of the rhythm, on the channel of the local player while a rhythm plays: converts
/// between instants and the positions of the ``PhrasePlayer``. ``next(at:)`` returns messages up to ``InstrumentSettings/lead``
/// in advance, with the instants at which they take effect. Used on the network thread only.
struct PhraseDriver: BitwiseCopyable {
  private var settings = InstrumentSettings()
  /// Nil if no phrase plays.
  private var player: PhrasePlayer?
  private var schedule: PlaybackSchedule { @_noLocks @_noAllocation get { settings.schedule } }
  /// The instant up to which events have been returned.
  private var horizon = Instant(nanoseconds: .min)
  /// The position up to which events were last returned.
  private var lastLimit = MusicalPosition(milliticks: 0)
  /// For each key, when the last note began. The end of a note must not overtake its beginning.
  private var beginnings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: .min))

  /// Real-time: not safe.
  init() {}

  /// Removes the phrase. Does not return the ends of its notes, because all notes of the player end now.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func stop() { player = nil }

  /// Uses new settings from `now` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func adopt(_ next: InstrumentSettings, at now: Instant) {
    let former = settings
    settings = next
    guard let table = settings.phrase, schedule.run != 0, schedule.start < schedule.end,
      schedule.deadline(schedule.end) > now
    else {
      if case .some = player { player!.stop() }
      return
    }
    let continues = former.schedule.run != 0 && schedule.continuesRun(from: former.schedule.run)
    let isOtherPhrase = settings.phraseNumber != former.phraseNumber
    if case .some = player, continues, !isOtherPhrase { return }
    if horizon < now || !continues { horizon = now }
    // Nothing sounds before the rhythm begins.
    lastLimit = schedule.position(at: horizon)
    if lastLimit < MusicalPosition(schedule.start) { lastLimit = MusicalPosition(schedule.start) }
    if case .some = player {
      player!.move(to: lastLimit)
      player!.change(to: table)
    } else {
      player = PhrasePlayer(table, at: lastLimit)
    }
  }

  /// Returns the next message of the phrase; nil if there is none until ``nextDeadline``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func next(at now: Instant) -> InstrumentDriver.Output? {
    guard case .some = player else { return nil }
    if schedule.run == 0 || schedule.deadline(schedule.end) <= now { player!.stop() }
    if now + settings.lead > horizon { horizon = now + settings.lead }
    // Conversions round down, so the position of a deadline can be a thousandth of a tick too low. `next(before:)` excludes the limit.
    // One thousandth is added for each of these reasons.
    var limit = schedule.position(at: horizon) + 2
    // The phrase ends with the rhythm.
    if schedule.end < Tick(.max), MusicalPosition(schedule.end) < limit { limit = MusicalPosition(schedule.end) }
    if limit <= MusicalPosition(schedule.start) { return nil }
    // After a pause of the process, or if the master moves its rhythm, the skipped events are not played.
    let jump = limit - lastLimit
    if jump > InstrumentDriver.largestStep || jump < -InstrumentDriver.largestStep { player!.move(to: limit) }
    lastLimit = limit
    guard let event = player!.next(before: limit) else {
      if player!.isSilent { player = nil }
      return nil
    }
    var instant = now
    if !event.isImmediate {
      let due = schedule.instant(event.position.tick, position: event.position.offset)
      if due > now { instant = due }
    }
    switch event.kind {
    case .noteOn(let key, _): beginnings[Int(key & 0x7F)] = instant
    case .noteOff(let key): if beginnings[Int(key & 0x7F)] > instant { instant = beginnings[Int(key & 0x7F)] }
    case .program, .brightness: break
    }
    return InstrumentDriver.Output(
      message: event.message(on: InstrumentDriver.channel), instant: instant > now ? instant : nil, remote: .at(instant)
    )
  }

  /// When ``next(at:)`` may return a message.
  var nextDeadline: Instant {
    @_noLocks @_noAllocation get {
      guard let position = player?.nextPosition else { return .distantFuture }
      let due = schedule.instant(position.tick, position: position.offset)
      // Events after the end of the rhythm are due at its end.
      return position.tick < schedule.end ? due - settings.lead : schedule.deadline(schedule.end)
    }
  }
}
