import ClockSync
import MusicalTime
import PeerProtocol
import Playback

/// The run of ticks that the local peer plays, or played last. ``schedule`` is made from it and from nothing else.
struct SoundingRun: Sendable {
  /// The number of the run, 1 or more, and the number of the first run of its series: see `PlaybackSchedule.run` and `firstRun`.
  var number: UInt32
  var first: UInt32
  /// The timeline message as it is played. While another rhythm is awaited, this message is older than
  /// ``EnsembleState/timelineMessage``.
  var message: TimelineMessage
  /// The mapping from the clock of the message's master to the local clock; the identity if the local peer is the master.
  var clock = ClockMapping.identity
  /// Whether the local peer is the master.
  var sends: Bool
  /// The first tick that the local peer plays. A late joiner enters after the start of the message.
  var entry: Tick
  /// The first tick of the count-in that the local peer plays; `Tick(.max)` if it plays none.
  var countInStart = Tick(.max)
  /// The tick at which the local peer stops alone; `Tick(.max)` if it plays up to the end of the message.
  var end = Tick(.max)
  /// The total activity by which the local peer plays while its activity gate is closed to the master; nil: that of the message.
  var ownTotal: ChangingValue<UInt8>?
  /// The rhythm that the local peer plays instead of those of the message that it does not play; nil if it plays all of them.
  var own: OwnRhythm?
  /// Whether the local peer plays the score of the message.
  var playsScore = true

  /// A rhythm of the local peer, and the rhythms of the message that it replaces.
  struct OwnRhythm: Hashable, Sendable {
    var rhythm: ChangingValue<RhythmLine>
    var grid: ChangingValue<BarGrid>
    var replacesPresent = true
    var replacesNext = true
  }

  /// Begins a new series of runs.
  ///
  /// - Parameters:
  ///   - number: one more than the number of the previous run.
  ///   - entry: the first tick that the local peer plays; nil: the start of the message.
  init(
    _ message: TimelineMessage, number: UInt32, sends: Bool, clock: ClockMapping = .identity, from entry: Tick? = nil
  ) {
    (self.message, self.number, first, self.sends, self.clock) = (message, number, number, sends, clock)
    self.entry = entry ?? message.start
  }

  /// What the clock thread plays.
  var schedule: PlaybackSchedule {
    var schedule = PlaybackSchedule(
      run: number, sends: sends, start: entry, end: min(message.end, end), tempo: message.tempo,
      clock: clock, total: ownTotal ?? message.total, mix: message.mix,
      rhythm: message.rhythm, grid: message.grid, fill: message.fill,
      score: playsScore ? message.score : ChangingValue(.none))
    if let own {
      let tick = message.rhythm.tick
      switch (own.replacesPresent, own.replacesNext) {
      case (true, true): (schedule.rhythm, schedule.grid) = (own.rhythm, own.grid)
      case (false, true):
        schedule.rhythm = ChangingValue(message.rhythm.value, next: own.rhythm.next, from: tick)
        schedule.grid = ChangingValue(message.grid.value, next: own.grid.next, from: tick)
      case (true, false):
        schedule.rhythm = ChangingValue(own.rhythm.next, next: message.rhythm.next, from: tick)
        schedule.grid = ChangingValue(own.grid.next, next: message.grid.next, from: tick)
      case (false, false): break
      }
    }
    // The bars are those of the score, also if the local peer plays a rhythm of its own beside it.
    if playsScore, message.score != ChangingValue(.none) { schedule.grid = message.grid }
    (schedule.firstRun, schedule.countIn, schedule.countInStart) = (first, message.countIn, countInStart)
    return schedule
  }
}
