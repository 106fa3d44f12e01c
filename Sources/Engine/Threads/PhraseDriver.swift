import MIDI
import MusicalTime
import Playback
import Rhythm

/// Repeats a phrase, a melody on the steps of the rhythm, on the channel of a player while a rhythm plays: a ``PhrasePlayer`` as
/// a source of an ``EventPlayer``. Used on the network thread only.
struct PhraseDriver: BitwiseCopyable {
  /// ``InstrumentSettings/phraseNumber``, or ``PagePhrase/number``.
  private var number: UInt32 = 0
  /// Nil if no phrase plays.
  private var player: PhrasePlayer?
  private var events = EventPlayer(.silence, at: Instant(nanoseconds: .min))

  /// Removes the phrase. Does not return the ends of its notes, because all notes of the player end now.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func stop() { player = nil }

  /// Repeats the phrase `table` with the number `number`, or none, from `now` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func adopt(_ table: PhraseTable?, number: UInt32, _ settings: borrowing InstrumentSettings, at now: Instant)
  {
    let isOtherPhrase = self.number != number
    let (schedule, former) = (settings.schedule, events.schedule.run)
    (self.number, events.schedule, events.lead) = (number, schedule, settings.lead)
    guard let table, plays(at: now), schedule.start < schedule.end else {
      if case .some = player { player!.stop() }
      return
    }
    let continues = former != 0 && schedule.continuesRun(from: former)
    if case .some = player, continues, !isOtherPhrase { return }
    events.begin(schedule, at: events.horizon < now || !continues ? now : events.horizon)
    if case .some = player {
      player!.move(to: position)
      player!.change(to: table)
    } else {
      player = PhrasePlayer(table, at: position)
    }
  }

  @_noLocks @_noAllocation
  private func plays(at now: Instant) -> Bool {
    events.schedule.run != 0 && events.schedule.deadline(events.schedule.end) > now
  }

  /// The position up to which events are returned. Nothing sounds before the rhythm begins.
  private var position: MusicalPosition {
    @_noLocks @_noAllocation get {
      let start = MusicalPosition(events.schedule.start)
      return events.limit < start ? start : events.limit
    }
  }

  /// Returns the next message of the phrase; nil if there is none until ``nextDeadline``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func next(at now: Instant) -> EventPlayer.Output? {
    guard case .some = player else { return nil }
    if !plays(at: now) { player!.stop() }
    // The skipped events are not played.
    if events.advance(to: now) { player!.move(to: position) }
    guard let event = player!.next(before: events.limit) else {
      if player!.isSilent { player = nil }
      return nil
    }
    let instant = events.instant(of: event, at: now)
    return EventPlayer.Output(event, at: instant, remote: .at(instant), now: now)
  }

  /// When ``next(at:)`` may return a message.
  var nextDeadline: Instant { @_noLocks @_noAllocation get { events.deadline(of: player?.nextPosition) } }
}
