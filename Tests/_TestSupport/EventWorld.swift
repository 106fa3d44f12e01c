import HeapModule
public import MusicalTime
public import Simulation

/// The place of an event in the queue of an ``EventWorld``. A type that is nested in the generic ``EventWorld`` would be
/// generic too, and several times slower in a debug build.
private struct EventKey: Comparable {
  /// When the event is due, in nanoseconds.
  var at: Int64
  /// The number of the event in the order of adding.
  var sequence: Int64
  /// The index of the event in the table of events.
  var slot: Int

  static func == (a: EventKey, b: EventKey) -> Bool { a.sequence == b.sequence }
  static func < (a: EventKey, b: EventKey) -> Bool { a.at == b.at ? a.sequence < b.sequence : a.at < b.at }
}

/// A virtual clock, a queue of events and a random network, for tests that run several peers in one process. Time jumps from
/// one event to the next. Events with the same instant come out in the order in which they were added, so the seed of
/// ``random`` determines everything. Complete ensembles run in the `VirtualWorld` of the module `Simulation`.
public struct EventWorld<Event> {
  /// The present true time.
  public private(set) var now: Instant
  /// The generator of the delays and losses.
  public var random: SplitMix
  /// The probability that a packet is lost, 0...1.
  public var loss: Double
  /// The range of the one-way delay in nanoseconds. Delays are distributed uniformly.
  public var delays: ClosedRange<Int64>
  /// The instant of the next event; the distant future when there is none.
  public private(set) var nextEvent = Instant.distantFuture
  private var queue = Heap<EventKey>()
  /// The number of events that were added.
  private var sequence: Int64 = 0
  /// The waiting events. A free slot contains nil.
  private var events: [Event?] = []
  private var freeSlots: [Int] = []

  /// - Parameters:
  ///   - start: the value of ``now`` at the beginning.
  ///   - random: the generator of delays and losses.
  ///   - loss: the probability that a packet is lost, 0...1.
  ///   - delays: the range of the one-way delay in nanoseconds.
  public init(
    at start: Instant, random: SplitMix, loss: Double = 0, delays: ClosedRange<Int64> = 100_000...3_000_000
  ) {
    (now, self.random, self.loss, self.delays) = (start, random, loss, delays)
  }

  /// Adds an event that is due at `instant`. An instant in the past means now.
  public mutating func add(_ event: Event, at instant: Instant) {
    let due = max(instant, now)
    let slot = freeSlots.popLast() ?? events.count
    if slot == events.count { events.append(event) } else { events[slot] = event }
    sequence += 1
    queue.insert(EventKey(at: due.nanoseconds, sequence: sequence, slot: slot))
    if due < nextEvent { nextEvent = due }
  }

  /// Moves ``now`` forward to `instant`. An instant in the past changes nothing.
  public mutating func advance(to instant: Instant) { now = max(now, instant) }

  /// Removes and returns the next event that is due at ``now`` or earlier; nil if there is none.
  public mutating func takeEvent() -> Event? {
    guard nextEvent <= now, let key = queue.popMin() else { return nil }
    nextEvent = queue.min.map { Instant(nanoseconds: $0.at) } ?? .distantFuture
    freeSlots.append(key.slot)
    return events[key.slot].take()
  }

  /// Returns whether the network loses the next packet.
  ///
  /// The upper 53 bits of a random number, divided by 2^53, are a number in 0..<1.
  public mutating func losesPacket() -> Bool { Double(random.next() >> 11) / Double(1 << 53) < loss }

  /// Returns the one-way delay of the next packet.
  public mutating func delay() -> Nanoseconds { Nanoseconds(random.integer(in: delays)) }
}
