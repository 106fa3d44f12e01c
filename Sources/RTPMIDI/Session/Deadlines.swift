import MusicalTime

/// The sessions in the order of their deadlines.
///
/// A binary heap (Williams 1964) in which each session stores its index. A session whose deadline changes moves at
/// once, so the heap contains no outdated entries. A heap of 1000 sessions has ten levels, so a session moves by at
/// most nine levels. Reading the next deadline takes no comparison. Equal deadlines are ordered by session number, so that
/// equal inputs give equal outputs.
struct Deadlines {
  private var heap: [Session] = []

  /// The session with the earliest deadline.
  var first: Session? { heap.first }
  /// The earliest deadline. It is stored because it is read far more often than it changes.
  private(set) var earliest: Instant?
  var count: Int { heap.count }

  /// Inserts `session`, or moves it according to its current deadline.
  mutating func schedule(_ session: Session) { schedule(session, at: session.deadline) }

  /// Does the same with the current deadline of the session.
  mutating func schedule(_ session: Session, at deadline: Instant) {
    if let index = session.heapIndex {
      guard deadline != session.scheduledDeadline else { return }
      session.scheduledDeadline = deadline
      if !rise(from: index) { sink(from: index) }
      // The earliest deadline changes only if the session was the first or is the first now.
      if index == 0 || session.heapIndex == 0 { earliest = heap.first?.scheduledDeadline }
    } else {
      session.scheduledDeadline = deadline
      heap.append(session)
      session.heapIndex = heap.count - 1
      _ = rise(from: heap.count - 1)
      if session.heapIndex == 0 { earliest = deadline }
    }
  }

  /// Removes `session` if it is present.
  mutating func remove(_ session: Session) {
    guard let index = session.heapIndex else { return }
    session.heapIndex = nil
    let last = heap.removeLast()
    // The last session of the heap takes the free place.
    if last !== session {
      heap[index] = last
      last.heapIndex = index
      if !rise(from: index) { sink(from: index) }
    }
    earliest = heap.first?.scheduledDeadline
  }

  /// Whether the deadline of `a` is before that of `b`.
  private func precedes(_ a: Session, _ b: Session) -> Bool {
    a.scheduledDeadline != b.scheduledDeadline
      ? a.scheduledDeadline < b.scheduledDeadline : a.id.number < b.id.number
  }

  /// Moves the session at `start` towards the root. Returns whether it moved.
  private mutating func rise(from start: Int) -> Bool {
    var index = start
    while index > 0, case let parent = (index - 1) / 2, precedes(heap[index], heap[parent]) {
      exchange(index, parent)
      index = parent
    }
    return index != start
  }

  /// Moves the session at `start` towards the leaves, as far as necessary.
  private mutating func sink(from start: Int) {
    var index = start
    while true {
      var least = index
      let (left, right) = (2 * index + 1, 2 * index + 2)
      if left < heap.count, precedes(heap[left], heap[least]) { least = left }
      if right < heap.count, precedes(heap[right], heap[least]) { least = right }
      guard least != index else { return }
      exchange(index, least)
      index = least
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    heap[a].heapIndex = a
    heap[b].heapIndex = b
  }
}
