import MIDI
import MusicalTime
import Playback
import Rhythm

/// Plays the instrument of the local player in time with the rhythm: converts between instants and the positions of the
/// ``InstrumentPlayer``.
///
/// While no rhythm plays, the positions are those of a timeline at 120 beats per minute. An action then sounds at once. While a rhythm
/// plays, events are returned up to the lead of the settings ahead, with the instants at which they take effect.
struct InstrumentDriver: BitwiseCopyable {
  /// A message of the instrument.
  struct Output: BitwiseCopyable {
    let message: Message
    /// When the message takes effect; nil: as early as possible.
    let instant: Instant?
  }

  private var settings = InstrumentSettings()
  /// Nil without an instrument.
  private var player: InstrumentPlayer?
  /// Whether the instrument was removed. The player remains until its notes have ended.
  private var isEnding = false
  /// The timeline without a rhythm. Its run is 0.
  private let freeSchedule: PlaybackSchedule
  /// The rhythm, or ``freeSchedule``.
  private var schedule: PlaybackSchedule
  /// The input channel of the last action. The messages of the instrument are on this channel.
  private var channel = Channel(wire: 0)
  /// The instant up to which events have been returned.
  private var horizon: Instant
  /// When each key began last. The end of a note must not overtake its beginning.
  private var beginnings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: .min))

  /// Real-time: not safe.
  init(at now: Instant) {
    freeSchedule = PlaybackSchedule(
      run: 0, sends: false, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: now))
    (schedule, horizon) = (freeSchedule, now)
  }

  /// Whether the player has an instrument. If not, messages are played as they are.
  var isActive: Bool {
    @_noLocks @_noAllocation get { if case .some = player { !isEnding } else { false } }
  }

  /// Uses new settings from `now` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func adopt(_ settings: InstrumentSettings, at now: Instant) {
    let isOther = settings.number != self.settings.number
    self.settings = settings
    if isOther {
      isEnding = false
      if let table = settings.table {
        if case .none = player {
          (schedule, horizon) = (freeSchedule, now)
          player = InstrumentPlayer(table, at: position(at: now))
        } else {
          player!.change(to: table)
        }
      } else if case .some = player {
        isEnding = true
        player!.silence()
      }
    }
    guard case .some = player else { return }
    player!.controls.set(activity: settings.activity)
    follow(at: now)
  }

  /// Changes to the rhythm of the settings, or to the timeline without a rhythm.
  @_noLocks @_noAllocation
  private mutating func follow(at now: Instant) {
    let next = settings.schedule
    guard next.run != 0, next.deadline(next.end) > now else {
      guard schedule.run != 0 else { return }
      schedule = freeSchedule
      if horizon < now { horizon = now }
      return player!.move(to: position(at: horizon), rhythmFrom: nil)
    }
    // A run that continues the last one has the same ticks.
    let continues = schedule.run != 0 && next.continuesRun(from: schedule.run)
    schedule = next
    if continues { return }
    if horizon < now { horizon = now }
    player!.move(to: position(at: horizon), rhythmFrom: next.start)
  }

  /// A message of the local player, which arrived at `now`.
  ///
  /// - Returns: whether the instrument uses the message. If not, it is played as it is.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func receive(_ message: Message, at now: Instant) -> Bool {
    guard isActive, let channel = message.channel else { return false }
    if message.startsNote { self.channel = channel }
    player!.receive(message, at: position(at: now))
    // The volume and the panorama of the player, and the activity, which expression on channel 1 sets as well.
    guard case .controlChange(_, let controller, _) = message else { return true }
    return !message.setsActivity && controller.value != 7 && controller.value != 10
  }

  /// Returns the next message of the instrument; nil if there is none until ``nextDeadline``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func next(at now: Instant) -> Output? {
    guard case .some = player else { return nil }
    if schedule.run != 0, schedule.deadline(schedule.end) <= now { follow(at: now) }
    var end = now
    if schedule.run != 0 { end = now + settings.lead }
    if end > horizon { horizon = end }
    // Conversions round down, so the position of a deadline can be one too low. The figure ends with the rhythm.
    var limit = position(at: horizon) + 2
    if schedule.end < Tick(.max), MusicalPosition(schedule.end) < limit { limit = MusicalPosition(schedule.end) }
    guard let event = player!.next(before: limit) else {
      if isEnding, player!.soundingCount == 0 {
        player = nil
        isEnding = false
      }
      return nil
    }
    var instant = now
    if !event.isImmediate {
      let due = schedule.instant(event.position.tick, position: event.position.offset)
      if due > now { instant = due }
    }
    switch event.kind {
    case .noteOn(let key, _): beginnings[Int(key & 0x7F)] = instant
    case .noteOff(let key):
      let beginning = beginnings[Int(key & 0x7F)]
      if beginning > instant { instant = beginning }
    case .program, .brightness: break
    }
    return Output(message: event.message(on: channel), instant: instant > now ? instant : nil)
  }

  /// When ``next(at:)`` may return a message, unless a message of the player arrives before.
  var nextDeadline: Instant {
    @_noLocks @_noAllocation get {
      guard let position = player?.nextPosition else { return .distantFuture }
      let due = schedule.instant(position.tick, position: position.offset)
      guard schedule.run != 0 else { return due }
      // What follows after the end of the rhythm waits for the end.
      return position.tick < schedule.end ? due - settings.lead : schedule.deadline(schedule.end)
    }
  }

  /// The position at an instant.
  @_noLocks @_noAllocation
  private func position(at instant: Instant) -> MusicalPosition {
    let tick = schedule.tick(at: instant)
    let start = schedule.deadline(tick)
    let length = (schedule.deadline(tick + 1) - start).count
    guard length > 0 else { return MusicalPosition(tick) }
    return MusicalPosition(tick) + (instant - start).count &* MusicalPosition.perTick / length
  }
}
