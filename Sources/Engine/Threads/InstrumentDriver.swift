import MIDI
import MusicalTime
import Playback
import Rhythm

/// Plays the instrument of the local player in time with the rhythm: converts between instants and the positions of the
/// ``InstrumentPlayer``.
///
/// While no rhythm plays, the positions are those of a timeline at 120 beats per minute, and an action sounds at once. While a rhythm
/// plays, ``next(at:)`` returns messages up to ``InstrumentSettings/lead`` in advance, with the instants at which they take effect.
///
/// At the other peers, a note sounds later if it would not arrive in time: see ``RemoteNotes``.
///
/// Used on the network thread only.
struct InstrumentDriver: BitwiseCopyable {
  /// A message of the instrument.
  struct Output: BitwiseCopyable {
    let message: Message
    /// When the message takes effect at the local peer; nil: as early as possible.
    let instant: Instant?
    /// When the message takes effect at the other peers.
    let remote: RemoteNotes.Placement

    @_noLocks @_noAllocation
    init(message: Message, instant: Instant?, remote: RemoteNotes.Placement) {
      (self.message, self.instant, self.remote) = (message, instant, remote)
    }
  }

  private var settings = InstrumentSettings()
  /// The instrument of the local player; nil without an instrument.
  private var player: InstrumentPlayer?
  /// Whether the instrument was removed. ``player`` remains until its notes have ended.
  private var isEnding = false
  /// The timeline without a rhythm. Its run is 0.
  private let freeSchedule: PlaybackSchedule
  /// The rhythm, or ``freeSchedule``.
  private var schedule: PlaybackSchedule
  /// The input channel of the messages of the instrument: channel 1. Players own channels 2...9 and 11...16. A message on the channel
  /// of another player would go to that player only.
  static var channel: Channel { @_noLocks @_noAllocation get { Channel(wire: 0) } }
  /// The instant up to which events have been returned.
  private var horizon: Instant
  /// The position up to which events were last returned.
  private var lastLimit: MusicalPosition
  /// The largest normal distance between the positions of two calls of ``next(at:)``, in thousandths of a tick: a bar of 4/4. The network
  /// thread calls the function at least every 100 ms, in which the fastest rhythm advances by 40 ticks. A distance larger than this bar is
  /// a jump.
  static var largestStep: Int64 { @_noLocks @_noAllocation get { 96 * MusicalPosition.perTick } }
  /// For each key, how much earlier than the instant of its position the last note began.
  private var earlierBy = InlineArray<128, Nanoseconds>(repeating: .zero)
  /// For each key, when the last note ended. A note must not begin before the end of the previous note of its key.
  private var endings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: .min))
  /// The value of the control `tilt forward` (controller 1) of the local player, 0...127, with and without an instrument.
  private(set) var tilt: UInt8 = 64
  /// The notes at the other peers.
  private var remoteNotes = RemoteNotes()
  /// For each key, when the last note began. The end of a note must not overtake its beginning.
  private var beginnings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: .min))

  /// Real-time: not safe.
  init(at now: Instant) {
    lastLimit = MusicalPosition(Tick(0))
    freeSchedule = PlaybackSchedule(
      run: 0, sends: false, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: now)))
    (schedule, horizon) = (freeSchedule, now)
  }

  /// How long before its instant an event is passed to the sound: ``InstrumentSettings/lead``.
  var lead: Nanoseconds { @_noLocks @_noAllocation get { settings.lead } }

  /// Whether the local player has an instrument. If not, messages are played unchanged.
  var isActive: Bool {
    @_noLocks @_noAllocation get { if case .some = player { !isEnding } else { false } }
  }

  /// Removes the instrument. Does not return the ends of its notes, because all notes of the player end now.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func stop() {
    player = nil
    isEnding = false
    forgetRemoteNotes()
  }

  /// Forgets the notes at the other peers, because they have ended there.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func forgetRemoteNotes() { remoteNotes = RemoteNotes() }

  /// Uses new settings from `now` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func adopt(_ settings: InstrumentSettings, at now: Instant) {
    let isOtherInstrument = settings.number != self.settings.number
    let isOtherPitchSource = settings.pitchSource != self.settings.pitchSource
    var areOtherChords = settings.chordsNumber != self.settings.chordsNumber
    self.settings = settings
    if isOtherInstrument {
      isEnding = false
      if let table = settings.table {
        if case .none = player {
          (schedule, horizon) = (freeSchedule, now)
          lastLimit = position(at: now)
          player = InstrumentPlayer(table, at: lastLimit)
          player!.controls.set(controller: 1, to: UInt7(masking: tilt))
          player!.follow(settings.chords, from: lastLimit)
          areOtherChords = false
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
    if areOtherChords { player!.follow(settings.chords, from: nextBar) }
    if isOtherPitchSource { player!.pitches = BorrowedPitches() }
    follow(at: now)
  }

  /// The position at which the next bar after the returned events begins. The length of a bar is that of the rhythm in ``settings``, which
  /// can be a new rhythm. The clock thread changes to the new rhythm at the next bar whose hits it has not passed to the sound. The events
  /// of an instrument are returned up to ``lead`` in advance, which is at least the lead of the hits. Therefore the instrument changes at
  /// the same bar or at the bar after it.
  private var nextBar: MusicalPosition {
    @_noLocks @_noAllocation get {
      guard schedule.run != 0 else { return lastLimit }
      let length = Int64(settings.chords.stepsPerBar) &* Tick.perStep &* MusicalPosition.perTick
      var place = lastLimit.milliticks % length
      if place < 0 { place = place &+ length }
      return place == 0 ? lastLimit : lastLimit + (length &- place)
    }
  }

  /// Changes to the rhythm of the settings, or to ``freeSchedule`` if no rhythm plays.
  @_noLocks @_noAllocation
  private mutating func follow(at now: Instant) {
    let next = settings.schedule
    guard next.run != 0, next.deadline(next.end) > now else {
      guard schedule.run != 0 else { return }
      schedule = freeSchedule
      if horizon < now { horizon = now }
      lastLimit = position(at: horizon)
      return player!.move(to: lastLimit, rhythmFrom: nil)
    }
    // A run that continues the last one has the same ticks, so the instrument keeps its position.
    let continues = schedule.run != 0 && next.continuesRun(from: schedule.run)
    schedule = next
    if continues { return }
    if horizon < now { horizon = now }
    lastLimit = position(at: horizon)
    player!.move(to: lastLimit, rhythmFrom: next.start)
  }

  /// Passes a message of the local player, which arrived at `now`, to the instrument.
  ///
  /// - Returns: whether the instrument replaces the message. If not, the message must also be played unchanged.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func receive(_ message: Message, at now: Instant) -> Bool {
    if case .controlChange(_, let controller, let value) = message, controller.value == 1 { tilt = value.value }
    guard isActive, message.isOfChannel else { return false }
    if message.endsAllNotes { forgetRemoteNotes() }
    player!.receive(message, at: position(at: now))
    // The instrument replaces all messages except volume (CC 7), pan (CC 10), activity (CC 11 on channel 1) and All Notes Off.
    guard case .controlChange(_, let controller, _) = message else { return true }
    return !message.setsActivity && !message.endsAllNotes && controller.value != 7 && controller.value != 10
  }

  /// Handles a note of the remote player who sets the pitches of the instrument (``BorrowedPitches``). Without an instrument, the note has
  /// no effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func setPitch(_ message: Message) {
    // A note of a former pitch source may still arrive after the player has ended the choice of this source.
    guard settings.pitchSource != 0, case .some = player else { return }
    player!.pitches.receive(message)
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
    // Conversions round down, so the position of a deadline can be a thousandth of a tick too low. `next(before:)` excludes the limit.
    // One thousandth is added for each of these reasons.
    var limit = position(at: horizon) + 2
    // A figure of the instrument ends with the rhythm.
    if schedule.end < Tick(.max), MusicalPosition(schedule.end) < limit { limit = MusicalPosition(schedule.end) }
    // After a pause of the process, or if the master moves its rhythm, the skipped events are not played.
    let jump = limit - lastLimit
    if jump > Self.largestStep || jump < -Self.largestStep {
      player!.move(to: limit, rhythmFrom: schedule.run != 0 ? schedule.start : nil)
    }
    lastLimit = limit
    guard let event = player!.next(before: limit) else {
      if isEnding, player!.soundingCount == 0 {
        player = nil
        isEnding = false
      }
      return nil
    }
    var instant = now
    let remote: RemoteNotes.Placement
    if !event.isImmediate {
      var due = schedule.instant(event.position.tick, position: event.position.offset)
      if case .noteOff(let key) = event.kind { due = due - earlierBy[Int(key & 0x7F)] }
      if due > now { instant = due }
    }
    switch event.kind {
    case .noteOn(let key, _):
      if endings[Int(key & 0x7F)] > instant { instant = endings[Int(key & 0x7F)] }
      beginnings[Int(key & 0x7F)] = instant
      // A note that sounds at once gets a position that is not before the horizon of the previous call. `due`, the instant of this
      // position, is up to ``lead`` later than the note. The end of the note is moved earlier by the same time, so that the note keeps
      // its length.
      let due = schedule.instant(event.position.tick, position: event.position.offset)
      earlierBy[Int(key & 0x7F)] = due > instant ? due - instant : .zero
      remote = remoteNotes.begin(key, at: instant, line: line(for: event.position, at: now), on: schedule)
    case .noteOff(let key):
      let beginning = beginnings[Int(key & 0x7F)]
      if beginning > instant { instant = beginning }
      endings[Int(key & 0x7F)] = instant
      remote = remoteNotes.end(key, at: instant)
    case .program, .brightness: remote = .at(instant)
    }
    return Output(message: event.message(on: Self.channel), instant: instant > now ? instant : nil, remote: remote)
  }

  /// The first line of the quantization grid, at `position` or later, on which a note that is sent now can sound at the other peers. Nil
  /// without a rhythm, without quantization, and if this line is not within the rhythm.
  @_noLocks @_noAllocation
  private func line(for position: MusicalPosition, at now: Instant) -> Tick? {
    guard schedule.run != 0, let player, let unit = player.lineDistance else { return nil }
    var earliest = self.position(at: now + settings.noteDelay)
    if position > earliest { earliest = position }
    var rest = earliest.milliticks % unit
    if rest < 0 { rest = rest &+ unit }
    let line = rest == 0 ? earliest.tick : (earliest + (unit &- rest)).tick
    return line >= schedule.start && line < schedule.end ? line : nil
  }

  /// The instant from which ``next(at:)`` may return a message. A message of the local player can make the next event earlier.
  var nextDeadline: Instant {
    @_noLocks @_noAllocation get {
      guard let position = player?.nextPosition else { return .distantFuture }
      let due = schedule.instant(position.tick, position: position.offset)
      guard schedule.run != 0 else { return due }
      // Events after the end of the rhythm are due at its end.
      return position.tick < schedule.end ? due - settings.lead : schedule.deadline(schedule.end)
    }
  }

  /// The position at an instant.
  @_noLocks @_noAllocation
  private func position(at instant: Instant) -> MusicalPosition { schedule.position(at: instant) }
}

extension PlaybackSchedule {
  /// The musical position at `instant`, interpolated between the deadlines of two ticks and rounded down.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func position(at instant: Instant) -> MusicalPosition {
    let tick = tick(at: instant)
    let start = deadline(tick)
    let length = (deadline(tick + 1) - start).count
    guard length > 0 else { return MusicalPosition(tick) }
    return MusicalPosition(tick) + (instant - start).count &* MusicalPosition.perTick / length
  }
}
