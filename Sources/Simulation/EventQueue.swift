import MusicalTime

/// The future events of a simulation, ordered by true time (``VirtualWorld``). Events at the same instant are ordered by their
/// insertion, so that the order depends on the seed only. The queue is a binary heap of small values.
struct EventQueue {
  enum Kind: UInt8, BitwiseCopyable {
    /// The packet in slot `value` of the ``PacketPool`` arrives at the host.
    case packet
    /// The control thread of the host wakes. `value` is ``VirtualPeer/life`` of the peer for which the event was scheduled.
    case control
    /// The clock thread of the host wakes. `value` has the same meaning as for `control`.
    case clock
    /// The network thread of the host wakes, because messages of remote peers take effect. `value` has the same meaning as for
    /// `control`.
    case network
    /// An event of the world. `host` is not a host, but the kind of the event (``VirtualWorld/Due``).
    case world
  }

  struct Event: BitwiseCopyable {
    /// The true time of the event.
    var at: Instant
    /// The number of the event in the order of insertion.
    fileprivate var sequence: UInt64
    var kind: Kind
    /// The number of the host; for an event of the world, the raw value of ``VirtualWorld/Due``.
    var host: Int32
    /// See ``Kind``.
    var value: Int32
  }

  /// A binary heap: the children of element n are the elements 2n + 1 and 2n + 2. They are not earlier than element n.
  private var heap: [Event] = []
  /// The number of events inserted so far.
  private var sequence: UInt64 = 0

  /// Inserts an event. An event at the distant future never happens and is not inserted.
  mutating func push(_ kind: Kind, host: Int, value: Int = 0, at instant: Instant) {
    guard instant != .distantFuture else { return }
    sequence += 1
    let event = Event(
      at: instant, sequence: sequence, kind: kind, host: Int32(truncatingIfNeeded: host),
      value: Int32(truncatingIfNeeded: value))
    // The hole is the free element of the heap. It moves up from the end of the heap to the place of the event.
    var hole = heap.count
    heap.append(event)
    while hole > 0 {
      let parent = (hole - 1) / 2
      guard Self.isSooner(event, heap[parent]) else { break }
      heap[hole] = heap[parent]
      hole = parent
    }
    heap[hole] = event
  }

  /// Removes and returns the next event; nil if it is after `instant`, or without an event.
  mutating func pop(until instant: Instant) -> Event? {
    guard let first = heap.first, first.at <= instant else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    // The hole moves down from the beginning of the heap to the place of the last event.
    var hole = 0
    while true {
      var child = 2 * hole + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, Self.isSooner(heap[child + 1], heap[child]) { child += 1 }
      guard Self.isSooner(heap[child], last) else { break }
      heap[hole] = heap[child]
      hole = child
    }
    heap[hole] = last
    return first
  }

  private static func isSooner(_ a: Event, _ b: Event) -> Bool {
    a.at == b.at ? a.sequence < b.sequence : a.at < b.at
  }
}
