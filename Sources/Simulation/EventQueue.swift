import MusicalTime

/// The future events, ordered by true time. Events at the same instant are ordered by their insertion, so that the order
/// depends on the seed only. A binary heap of small values.
struct EventQueue {
  enum Kind: UInt8, BitwiseCopyable {
    /// The packet in slot `value` arrives at the host.
    case packet
    /// The control thread of the host wakes. `value` is the number of the life for which the event was scheduled.
    case control
    /// The clock thread of the host wakes. `value` as for `control`.
    case clock
    /// An event of the world: see ``VirtualWorld/Due``.
    case world
  }

  struct Event: BitwiseCopyable {
    var at: Instant
    fileprivate var sequence: UInt64
    var kind: Kind
    var host: Int32
    var value: Int32
  }

  private var heap: [Event] = []
  private var sequence: UInt64 = 0

  var next: Instant { heap.first?.at ?? .distantFuture }

  mutating func push(_ kind: Kind, host: Int, value: Int = 0, at instant: Instant) {
    guard instant != .distantFuture else { return }
    sequence += 1
    let event = Event(
      at: instant, sequence: sequence, kind: kind, host: Int32(truncatingIfNeeded: host),
      value: Int32(truncatingIfNeeded: value))
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

  mutating func pop() -> Event? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
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
