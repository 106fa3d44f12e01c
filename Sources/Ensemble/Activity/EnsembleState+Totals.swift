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
    guard now >= leader!.totals.decisionDeadline(in: schedule, lead: lead, grid: layerGrid) else { return }
    // The next beat, or, at high tempos, the first beat that is at least the lead time ahead.
    let soonest = (schedule.firstTick(notBefore: now + lead) + (layerGrid - 1)).roundedDown(to: layerGrid)
    let beat = max(leader!.totals.decidedBeat + layerGrid, soonest)
    // The beat counts as decided even if the total stays the same.
    leader!.totals.decidedBeat = beat
    timelineMessage!.total.settle(at: schedule.tick(at: now))
    let (present, total) = (timelineMessage!.total, totalActivity(at: now))
    // There is room for only one pending change. At high tempos a change is still pending when the decision about the next beat is due.
    // The total can then change only every second beat, or less often.
    guard total != present.next, !present.isChanging, now >= leader!.totals.decidesFrom,
      leader!.totals.permitsChange(rises: total > present.next, at: beat, ticksPerBar: ticksPerBar)
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

  /// The distance in ticks between the positions at which the total can change.
  var layerGrid: Int64 {
    switch layerChange {
    case .beat: Tick.perQuarter
    case .bar: ticksPerBar
    }
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
