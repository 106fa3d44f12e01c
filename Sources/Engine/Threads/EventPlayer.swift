import MIDI
import MusicalTime
import Playback
import Rhythm

/// Plays the events of a source ahead of time: converts between instants and the positions of the events. The sources are an instrument
/// (``InstrumentDriver``) and a phrase (``PhraseDriver``).
///
/// Each key ends after it has begun, and begins after it has ended, also if a source returns events that take effect at once.
///
/// Used on the network thread only.
struct EventPlayer: BitwiseCopyable {
  /// A message of a source.
  struct Output: BitwiseCopyable {
    let message: Message
    /// When the message takes effect at the local peer; nil: as early as possible.
    let instant: Instant?
    /// When the message takes effect at the other peers.
    let remote: RemoteNotes.Placement

    @_noLocks @_noAllocation
    init(_ event: InstrumentEvent, at instant: Instant, remote: RemoteNotes.Placement, now: Instant) {
      message = event.message(on: EventPlayer.channel)
      self.instant = instant > now ? instant : nil
      self.remote = remote
    }
  }

  /// The rhythm, or a timeline without a rhythm, whose run is 0.
  var schedule: PlaybackSchedule
  /// How long before its instant an event is passed to the sound while a rhythm plays (``InstrumentSettings/lead``).
  var lead = Nanoseconds.zero
  /// The instant up to which events have been returned.
  private(set) var horizon: Instant
  /// The position up to which events are returned.
  private(set) var limit = MusicalPosition(milliticks: 0)
  /// For each key, when the last note began.
  private var beginnings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: .min))
  /// For each key, when the last note ended.
  private var endings = InlineArray<128, Instant>(repeating: Instant(nanoseconds: .min))
  /// For each key, how much earlier than the instant of its position the last note began.
  private var earlierBy = InlineArray<128, Nanoseconds>(repeating: .zero)

  /// The input channel of the messages: channel 1. Players own channels 2...9 and 11...16. A message on the channel of another player would
  /// go to that player only.
  static var channel: Channel { @_noLocks @_noAllocation get { Channel(wire: 0) } }
  /// The largest normal distance between the limits of two calls of ``advance(to:)``, in thousandths of a tick: a bar of 4/4. The network
  /// thread calls the function at least every 100 ms, in which the fastest rhythm advances by 40 ticks. A distance larger than this bar is
  /// a jump.
  private static var largestStep: Int64 { @_noLocks @_noAllocation get { 96 * MusicalPosition.perTick } }

  /// Real-time: not safe.
  init(_ schedule: PlaybackSchedule, at now: Instant) { (self.schedule, horizon) = (schedule, now) }

  /// Plays by another run, from `instant` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func begin(_ schedule: PlaybackSchedule, at instant: Instant) {
    (self.schedule, horizon) = (schedule, instant)
    limit = schedule.position(at: instant)
  }

  /// Extends the horizon and the limit.
  ///
  /// - Returns: whether the position jumps, after a pause of the process or because the master has moved its rhythm. The source must then
  ///   skip to ``limit``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func advance(to now: Instant) -> Bool {
    let end = schedule.run != 0 ? now + lead : now
    if end > horizon { horizon = end }
    let former = limit
    // Conversions round down, so the position of a deadline can be a thousandth of a tick too low. Sources exclude the limit. One
    // thousandth is added for each of these reasons.
    limit = schedule.position(at: horizon) + 2
    // The events end with the rhythm.
    if schedule.end < Tick(.max), MusicalPosition(schedule.end) < limit { limit = MusicalPosition(schedule.end) }
    let distance = limit - former
    return distance > Self.largestStep || distance < -Self.largestStep
  }

  /// The instant at which an event before ``limit`` takes effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func instant(of event: InstrumentEvent, at now: Instant) -> Instant {
    let due = schedule.instant(event.position.tick, position: event.position.offset)
    var instant = !event.isImmediate && due > now ? due : now
    switch event.kind {
    case .noteOn(let key, _):
      let n = Int(key & 0x7F)
      if endings[n] > instant { instant = endings[n] }
      beginnings[n] = instant
      // A note that sounds at once gets a position that is not before the horizon of the previous call. `due`, the instant of this
      // position, is up to ``lead`` later than the note. The end of the note is moved earlier by the same time, so that the note keeps
      // its length.
      earlierBy[n] = due > instant ? due - instant : .zero
    case .noteOff(let key):
      let n = Int(key & 0x7F)
      if !event.isImmediate { instant = due - earlierBy[n] > now ? due - earlierBy[n] : now }
      if beginnings[n] > instant { instant = beginnings[n] }
      endings[n] = instant
    case .program, .brightness: break
    }
    return instant
  }

  /// The instant from which an event at `position` can be returned.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func deadline(of position: MusicalPosition?) -> Instant {
    guard let position else { return .distantFuture }
    let due = schedule.instant(position.tick, position: position.offset)
    guard schedule.run != 0 else { return due }
    // Events after the end of the rhythm are due at its end.
    return position.tick < schedule.end ? due - lead : schedule.deadline(schedule.end)
  }
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
