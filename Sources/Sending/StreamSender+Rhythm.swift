import MIDI
import MusicalTime
import Playback

// Start, Continue, Song Position, Clock and Stop.
extension StreamSender {
  /// Encodes the next packet of ``dueSeries``. Returns nil, and ends the series, when no packet is left.
  @_noLocks @_noAllocation
  mutating func nextDuePacket(at now: Instant) -> Transmission? {
    while dueSeries.index < openSlots.count {
      let slot = openSlots[dueSeries.index]
      var transmission: Transmission?
      switch dueSeries.kind {
      case .none: break
      case .clock(let tick, let clock):
        guard streams[slot].run == schedule.run, includes(slot, in: .onArrival(clock: clock)),
          streams[slot].next <= tick
        else { break }
        transmission = nextTick(on: slot, at: now)
      case .begin(let tick, let receivers):
        guard includes(slot, in: receivers), streams[slot].takesClock,
          streams[slot].run != schedule.run, dueSeries.isPositionSent || admits(.clock, on: slot, at: now)
        else { break }
        transmission = encodeBeginning(of: tick, on: slot, at: now)
      case .stop(let instant, let receivers):
        guard includes(slot, in: receivers), streams[slot].run != 0 else { break }
        streams[slot].run = 0
        let shift = streams[slot].isTimeStamped ? offset(of: slot) : .zero
        transmission = encode(.stop, at: instant + shift, on: slot, now: now)
      case .idle(let tick, let clock):
        dueSeries.index += 1
        guard streams[slot].clock == clock, streams[slot].takesClock, !streams[slot].isTuttiPeer,
          streams[slot].run == 0, admits(.clock, on: slot, at: now)
        else { continue }
        if let idleTick = encode(.clock, at: idle.deadline(tick) + clocks[clock].offset, on: slot, now: now) {
          return idleTick
        }
        continue
      }
      // A stream can need several packets, such as Song Position and Continue: the next call begins with the same stream.
      if let transmission { return transmission }
      dueSeries.index += 1
    }
    dueSeries.kind = .none
    return nil
  }

  /// Encodes the next packet that a receiver needs to begin at `tick`: Start at tick 0; at any other tick, Song
  /// Position in the first call and Continue in the second.
  @_noLocks @_noAllocation
  private mutating func encodeBeginning(of tick: Tick, on slot: Int, at now: Instant) -> Transmission? {
    let instant = schedule.deadline(tick) + offset(of: slot)
    if tick.index != 0, !dueSeries.isPositionSent {
      dueSeries.isPositionSent = true
      let position = Message.songPosition(schedule.songPosition(of: tick, patternLength: patternLength))
      return encode(position, at: instant, on: slot, now: now)
    }
    dueSeries.isPositionSent = false
    streams[slot].run = schedule.run
    streams[slot].next = tick
    return encode(tick.index == 0 ? .start : .continue, at: instant, on: slot, now: now)
  }

  /// Whether the stream in a slot is one of these streams.
  @_noLocks @_noAllocation
  mutating func includes(_ slot: Int, in receivers: Receivers) -> Bool {
    switch receivers {
    case .timeStamped: return streams[slot].isTimeStamped
    case .onArrival(let clock):
      guard !streams[slot].isTimeStamped else { return false }
      guard let clock else { return true }
      return streams[slot].clock == clock
    }
  }

  /// The offset of the receiver of the stream in a slot.
  @_noLocks @_noAllocation
  private mutating func offset(of slot: Int) -> Nanoseconds { clocks[streams[slot].clock].offset }

  /// Encodes the next tick of a stream. If the tick is withheld, the receiver leaves the run, because it would play the following ticks
  /// at a wrong position.
  @_noLocks @_noAllocation
  private mutating func nextTick(on slot: Int, at now: Instant) -> Transmission? {
    if admits(.clock, on: slot, at: now) { return encodeTick(on: slot, at: now) }
    streams[slot].run = 0
    return nil
  }

  /// Encodes the next tick of a stream.
  @_noLocks @_noAllocation
  private mutating func encodeTick(on slot: Int, at now: Instant) -> Transmission? {
    let tick = streams[slot].next
    streams[slot].next = tick + 1
    guard
      case .some(var transmission) = encode(
        .clock, at: schedule.deadline(tick) + offset(of: slot), on: slot, now: now)
    else { return nil }
    (transmission.tick, transmission.isAhead) = (tick, streams[slot].isTimeStamped)
    return transmission
  }

  /// Encodes the next tick up to ``pendingTick`` that a time-stamp receiver lacks. Returns nil if no receiver lacks
  /// one.
  @_noLocks @_noAllocation
  mutating func nextPendingTick(at now: Instant) -> Transmission? {
    while hasPendingTicks {
      let transmission = nextTick(on: openSlots[pendingIndex], at: now)
      seekPendingTick()
      if let transmission { return transmission }
    }
    return nil
  }

  /// Finds the first time-stamp receiver that lacks ticks up to ``pendingTick``, and sets ``hasPendingTicks``.
  @_noLocks @_noAllocation
  mutating func findPendingTicks() {
    (hasPendingTicks, pendingIndex) = (true, 0)
    seekPendingTick()
  }

  /// Moves ``pendingIndex`` to the next time-stamp receiver that lacks ticks, beginning with the present index. If
  /// there is none, clears ``hasPendingTicks``.
  @_noLocks @_noAllocation
  private mutating func seekPendingTick() {
    while pendingIndex < openSlots.count {
      let slot = openSlots[pendingIndex]
      if streams[slot].isTimeStamped, streams[slot].run == schedule.run, streams[slot].next <= pendingTick { return }
      pendingIndex += 1
    }
    hasPendingTicks = false
    // The next tick and the end of the run have waited for the pending ticks.
    invalidateDeadlines()
  }
}
