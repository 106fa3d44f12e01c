import MIDI
import MusicalTime
import PeerProtocol
import Playback

// How the master decides the total activity, and how a follower applies it.
//
// Every peer reports its activity level to the master. The total activity decides which layers sound. Shortly before each
// beat, the master decides the total that applies from that beat on, and announces it in the timeline message if it has changed.
// ``TotalSchedule`` contains the deadlines of the decisions. If the layers of the patch change on bars, "beat" below means the
// beginning of a bar.
//
// A total that rises and falls around the threshold of a layer must not switch the layer on every beat. Therefore, after a
// rise, the total falls no earlier than one bar later, and after a fall, it rises no earlier than one bar later. The total thus
// crosses a threshold at most once within the length of a bar.
//
// Followers play the totals of the timeline message as they are, so all peers play the same layers. A follower whose activity gate is
// closed to the master plays by the level of its own player instead (``SoundingRun/ownTotal``).
extension EnsembleState {
  /// Decides the total of the next beat if the decision is due.
  mutating func decideTotal(at now: Instant) {
    guard now >= totalDecisionDeadline else { return }
    // The next beat, or, at high tempos, the first beat that is at least the lead time ahead.
    var beat = nextLayerPosition(after: leader!.totals.decidedBeat)
    let soonest = schedule.firstTick(notBefore: now + lead)
    if beat < soonest { beat = nextLayerPosition(after: soonest + -1) }
    // The beat counts as decided even if the total stays the same.
    leader!.totals.decidedBeat = beat
    timelineMessage!.total.settle(at: schedule.tick(at: now))
    let (present, total) = (timelineMessage!.total, totalActivity(at: now))
    // There is room for only one pending change. At high tempos a change is still pending when the decision about the next beat is due.
    // The total can then change only every second beat, or less often.
    guard total != present.next, !present.isChanging, now >= leader!.totals.decidesFrom,
      leader!.totals.permitsChange(
        rises: total > present.next, at: beat, ticksPerBar: timelineMessage!.grid[beat].meter.ticksPerBar)
    else { return }
    leader!.totals.lastChange = (beat, total > present.next)
    timelineMessage!.total = ChangingValue(present.value, next: total, from: beat)
    announce(at: now)
    sendTotal(at: schedule.deadline(beat))
  }

  /// Sends the newest total as a controller, for observers of MIDI. Tutti peers take the total from the timeline message.
  ///
  /// - Parameter instant: when the total applies.
  mutating func sendTotal(at instant: Instant) {
    send(Self.totalController, timelineMessage!.total.next, at: instant, to: nil)
  }

  /// The instant at which the master decides the next total.
  var totalDecisionDeadline: Instant {
    guard let leader else { return .distantFuture }
    let beat = nextLayerPosition(after: leader.totals.decidedBeat)
    return beat < schedule.end ? schedule.deadline(beat) - lead - TotalSchedule.margin : .distantFuture
  }

  /// The last position at or before `tick` at which the total can change: a beat, or a bar line.
  func layerPosition(notAfter tick: Tick, in grid: ChangingValue<BarGrid>) -> Tick {
    let bars = grid[tick]
    return bars.tick(notAfter: tick, every: rhythm.layerChange == .beat ? Tick.perQuarter : bars.meter.ticksPerBar)
  }

  /// The first position after `tick` at which the total can change.
  private func nextLayerPosition(after tick: Tick) -> Tick {
    let grid = timelineMessage!.grid
    let bars = grid[tick]
    let distance = rhythm.layerChange == .beat ? Tick.perQuarter : bars.meter.ticksPerBar
    let next = bars.tick(notAfter: tick, every: distance) + distance
    // The first tick of the next bars is a position too.
    return grid.tick > tick && grid.tick < next ? grid.tick : next
  }

  // MARK: Follower

  /// Whether the local peer plays by another total than it must, so that ``applyOwnTotal(under:at:)`` must be called.
  func isOffTotal(under master: Identity) -> Bool {
    guard isScheduled, let run else { return false }
    return run.ownTotal?.next != (admits(.activity, from: master) ? nil : activity)
  }

  /// While the activity gate is closed to the master, plays by the level of the local player, from the next beat of which no step is passed
  /// to the audio output yet. While the gate is open, plays by the total of the timeline message.
  mutating func applyOwnTotal(under master: Identity, at now: Instant) {
    guard isOffTotal(under: master), var run else { return }
    if admits(.activity, from: master) {
      run.ownTotal = nil
    } else {
      let present = schedule.total[schedule.tick(at: now)]
      let beat = (schedule.firstTick(notBefore: now + soundLead) + (Tick.perQuarter - 1)).roundedDown(
        to: Tick.perQuarter)
      run.ownTotal = ChangingValue(present, next: activity, from: beat)
    }
    play(run)
  }
}

extension Roster {
  /// Marks all members as not known to take part in the rhythm, because a new rhythm or a new claim begins.
  mutating func markAllAbsent() {
    for member in members { self[member.slot].membership!.takesPart = false }
  }
}

extension Tick {
  /// This tick, rounded down to a multiple of `distance`.
  func roundedDown(to distance: Int64) -> Tick {
    let remainder = index % distance
    return Tick(index - (remainder < 0 ? remainder + distance : remainder))
  }
}
