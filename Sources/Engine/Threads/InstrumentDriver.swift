import MIDI
import MusicalTime
import Playback
import Rhythm

/// Plays the instrument of the local player in time with the rhythm: an ``InstrumentPlayer`` as a source of an ``EventPlayer``.
///
/// While no rhythm plays, the positions are those of a timeline at 120 beats per minute, and an action sounds at once. While a rhythm
/// plays, ``next(at:)`` returns messages up to ``InstrumentSettings/lead`` in advance, with the instants at which they take effect.
///
/// At the other peers, a note sounds later if it would not arrive in time: see ``RemoteNotes``.
///
/// Used on the network thread only.
struct InstrumentDriver: BitwiseCopyable {
  private var settings = InstrumentSettings()
  /// The instrument of the local player; nil without an instrument.
  private var player: InstrumentPlayer?
  /// Whether the instrument was removed. ``player`` remains until its notes have ended.
  private var isEnding = false
  /// The timeline without a rhythm. Its run is 0.
  private let freeSchedule: PlaybackSchedule
  private(set) var events: EventPlayer
  /// The rhythm, or ``freeSchedule``.
  private var schedule: PlaybackSchedule { @_noLocks @_noAllocation get { events.schedule } }
  /// The value of the control `tilt forward` (controller 1) of the local player, 0...127, with and without an instrument.
  private(set) var tilt: UInt8 = 64
  /// The notes at the other peers.
  private var remoteNotes = RemoteNotes()
  /// Real-time: not safe.
  init(at now: Instant) {
    freeSchedule = PlaybackSchedule(
      run: 0, sends: false, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: now)))
    events = EventPlayer(freeSchedule, at: now)
  }

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
    events.lead = settings.lead
    if isOtherInstrument {
      isEnding = false
      if let table = settings.table {
        if case .none = player {
          events.begin(freeSchedule, at: now)
          player = InstrumentPlayer(table, at: events.limit)
          player!.controls.set(controller: 1, to: UInt7(masking: tilt))
          player!.follow(settings.chords, from: events.limit)
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
    if areOtherChords {
      // The instrument changes to the chords with the first step of their rhythm.
      let origin = MusicalPosition(Tick(of: settings.chords.origin))
      player!.follow(settings.chords, from: schedule.run != 0 && events.limit < origin ? origin : events.limit)
    }
    if isOtherPitchSource { player!.pitches = BorrowedPitches() }
    follow(at: now)
  }

  /// Changes to the rhythm of the settings, or to ``freeSchedule`` if no rhythm plays.
  @_noLocks @_noAllocation
  private mutating func follow(at now: Instant) {
    let next = settings.schedule
    let plays = next.run != 0 && next.deadline(next.end) > now
    guard plays || schedule.run != 0 else { return }
    // A run that continues the last one has the same ticks, so the instrument keeps its position.
    if plays, schedule.run != 0, next.continuesRun(from: schedule.run) {
      events.schedule = next
      return
    }
    events.begin(plays ? next : freeSchedule, at: events.horizon < now ? now : events.horizon)
    player!.move(to: events.limit, rhythmFrom: plays ? next.start : nil)
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
    player!.receive(message, at: schedule.position(at: now))
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
  mutating func next(at now: Instant) -> EventPlayer.Output? {
    guard case .some = player else { return nil }
    if schedule.run != 0, schedule.deadline(schedule.end) <= now { follow(at: now) }
    // The skipped events are not played.
    if events.advance(to: now) {
      player!.move(to: events.limit, rhythmFrom: schedule.run != 0 ? schedule.start : nil)
    }
    guard let event = player!.next(before: events.limit) else {
      if isEnding, player!.soundingCount == 0 {
        player = nil
        isEnding = false
      }
      return nil
    }
    let instant = events.instant(of: event, at: now)
    let remote: RemoteNotes.Placement =
      switch event.kind {
      case .noteOn(let key, _):
        remoteNotes.begin(key, at: instant, line: line(for: event.position, at: now), on: schedule)
      case .noteOff(let key): remoteNotes.end(key, at: instant)
      case .program, .brightness: .at(instant)
      }
    return EventPlayer.Output(event, at: instant, remote: remote, now: now)
  }

  /// The first line of the quantization grid, at `position` or later, on which a note that is sent now can sound at the other peers. Nil
  /// without a rhythm, without quantization, and if this line is not within the rhythm.
  @_noLocks @_noAllocation
  private func line(for position: MusicalPosition, at now: Instant) -> Tick? {
    guard schedule.run != 0, let player, let unit = player.lineDistance else { return nil }
    var earliest = schedule.position(at: now + settings.noteDelay)
    if position > earliest { earliest = position }
    var rest = earliest.milliticks % unit
    if rest < 0 { rest = rest &+ unit }
    let line = rest == 0 ? earliest.tick : (earliest + (unit &- rest)).tick
    return line >= schedule.start && line < schedule.end ? line : nil
  }

  /// The instant from which ``next(at:)`` may return a message. A message of the local player can make the next event earlier.
  var nextDeadline: Instant { @_noLocks @_noAllocation get { events.deadline(of: player?.nextPosition) } }
}
