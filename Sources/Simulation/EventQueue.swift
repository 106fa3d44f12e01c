import MusicalTime

/// What is to happen, by true time, and of what happens at the same moment first what was asked for first: so the order
/// hangs on nothing but the seed. A binary heap of small values.
struct EventQueue {
  enum Kind: UInt8, BitwiseCopyable {
    /// The packet `value` arrives at the host.
    case packet
    /// The host's control thread wakes; `value` says in which of its lives.
    case control
    /// Its clock thread does.
    case clock
    /// Something in the room is due, see ``Room/Due``.
    case room
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
