import MIDI
public import MusicalTime
import PeerProtocol
public import Playback
import RTPMIDI

// What is due later: messages that arrive before their instants, values that wait in an ``InputLimit``, and the ends of notes of a peer
// whose Active Sensing has stopped.
extension Receiver {
  /// The instant from which ``nextTimed(at:)`` or ``nextOfLimit(at:)`` returns something, unless an earlier message arrives meanwhile.
  ///
  /// Real-time: safe.
  public var nextTimedDeadline: Instant {
    // Mutating for the same reason as `subscript(sealerFor:onHostOf:)`.
    @_noLocks @_noAllocation mutating get {
      var next = timed.nextRelease
      if player.limit.nextDeadline < next { next = player.limit.nextDeadline }
      var index = 0
      while index < waiting.count {
        let place = waiting[index]
        let deadline = blocks[place.block].sessions[place.index].nextDeadline
        if deadline < next { next = deadline }
        index += 1
      }
      return next
    }
  }

  /// Adopts a new schedule. The notes of remote peers that belong to ticks of the rhythm move with the ticks.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func follow(_ schedule: PlaybackSchedule) { timed.follow(schedule) }

  /// Returns the next output of the messages that are due at `now`; nil if there is none. ``instant`` is when the output takes
  /// effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func nextTimed(at now: Instant) -> Output? {
    while true {
      if let output = pending.removeFirst() {
        guard case .reception(let reception) = output, delayCopy(reception, at: now) else { return output }
        continue
      }
      timedPlace = nil
      guard let entry = timed.take(at: now) else { return nextWaiting(at: now) }
      guard blocks[entry.place.block].sessions[entry.place.index].belongs(to: entry.session) else { continue }
      switch entry.content {
      case .reception(let reception):
        instant = entry.instant
        return .reception(reception)
      case .message(let message, let stamp, let arrival):
        timedPlace = entry.place
        blocks[entry.place.block].sessions[entry.place.index].passed(entry.instant)
        guard let first = output(message, stamp, arrival: arrival, isRecovered: false, at: entry.place, now: now)
        else { continue }
        instant = entry.instant
        guard case .reception(let reception) = first, delayCopy(reception, at: now) else { return first }
      }
    }
  }

  /// Returns the first output of the next value that waits in the limit of a session, the report of a limit, or the end of a note of a peer
  /// whose Active Sensing has stopped. Nil if nothing is due.
  @_noLocks @_noAllocation
  private mutating func nextWaiting(at now: Instant) -> Output? {
    var index = 0
    while index < waiting.count {
      let place = waiting[index]
      if case .some(let sensed) = blocks[place.block].sessions[place.index].sensed,
        now - sensed >= SessionReceiver.sensingPatience
      {
        blocks[place.block].sessions[place.index].sensed = nil
        blocks[place.block].sessions[place.index].endsHeld = true
      }
      if blocks[place.block].sessions[place.index].endsHeld {
        if let output = releaseNext(at: place) { return output }
        blocks[place.block].sessions[place.index].endsHeld = false
      }
      switch blocks[place.block].sessions[place.index].limit.due(at: now) {
      case .value(let message):
        let (stamp, arrival) = blocks[place.block].sessions[place.index].waiting
        instant = nil
        return output(message, stamp, arrival: arrival, false, isAdmitted: true, at: place)
      case .report(let count):
        return .reception(.refused(blocks[place.block].sessions[place.index].session, count: count))
      case nil: break
      }
      if blocks[place.block].sessions[place.index].hasWork { index += 1 } else { waiting.remove(at: index) }
    }
    return nil
  }

  /// Adds the session at `place` to ``waiting`` if something of it is due later. It is not in the list yet.
  @_noLocks @_noAllocation
  mutating func addWaiting(_ place: SessionBlock.Place) {
    if blocks[place.block].sessions[place.index].hasWork, waiting.freeCapacity > 0 { waiting.append(place) }
  }

  /// Removes the session at `place`, which has ended, from ``waiting``.
  @_noLocks @_noAllocation
  mutating func removeWaiting(_ place: SessionBlock.Place) {
    var index = 0
    while index < waiting.count {
      if waiting[index].block == place.block, waiting[index].index == place.index {
        waiting.remove(at: index)
      } else {
        index += 1
      }
    }
    blocks[place.block].sessions[place.index].limit.reset()
    blocks[place.block].sessions[place.index].sensed = nil
  }

  /// Returns the next value of a local program that has waited in the limit, or the report of this limit; nil if nothing is due. The driver
  /// plays the value like any message of the local player.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func nextOfLimit(at now: Instant) -> InputLimit.Due? { player.limit.due(at: now) }

  /// Keeps the copy of a message for the control thread until the instant of the message. Returns false if the copy is
  /// not kept, because the instant has come or there is no room.
  @_noLocks @_noAllocation
  private mutating func delayCopy(_ reception: Reception, at now: Instant) -> Bool {
    guard let place = timedPlace, let instant, instant > now else { return false }
    let session = blocks[place.block].sessions[place.index].session
    return timed.insert(
      TimedMessages.Entry(.reception(reception), of: session, at: place, instant: instant, lead: .zero))
  }

  /// Keeps a message of the session at `place` that takes effect later. For a message that takes effect at once, removes the
  /// messages that it supersedes (``TimedMessages/removeMessages(supersededBy:of:)``). A message that ends all notes always takes
  /// effect at once, and so does a message for which there is no room.
  ///
  /// - Parameter stamp: the time stamp of the message; nil if it is not known.
  /// - Returns: whether the message was kept.
  @_noLocks @_noAllocation
  mutating func keep(_ message: Message, _ stamp: Instant?, at place: SessionBlock.Place) -> Bool {
    guard message.isOfChannel, !blocks[place.block].sessions[place.index].reportsActivity(message) else { return false }
    let session = blocks[place.block].sessions[place.index].session
    if !message.endsAllNotes, let stamp,
      let instant = blocks[place.block].sessions[place.index].instant(of: stamp, arrivedAt: arrival),
      timed.insert(
        TimedMessages.Entry(
          .message(message, stamp: stamp, arrival: arrival), of: session, at: place, instant: instant, lead: soundLead))
    {
      return true
    }
    timed.removeMessages(supersededBy: message, of: session)
    return false
  }
}
