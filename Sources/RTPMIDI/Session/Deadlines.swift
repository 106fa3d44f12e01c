import MusicalTime

/// Sessions in the order in which they next have something to do.
///
/// A binary heap (Williams 1964) in which each session knows its place, so that one whose deadline moves is moved at
/// once and nothing stale is left: with 1000 sessions the next deadline is there to be read, and a change costs ten
/// comparisons at most. Equal deadlines are kept apart by the sessions' numbers, so that equal inputs give equal outputs.
struct Deadlines {
  private var heap: [Session] = []

  /// The session with the earliest deadline.
  var first: Session? { heap.first }
  /// That deadline: asked for far more often than it comes, and kept so that no session is touched for it.
  private(set) var earliest: Instant?
  var count: Int { heap.count }

  /// Puts `session` where its deadline says.
  mutating func schedule(_ session: Session) {
    let deadline = session.deadline
    if let place = session.place {
      guard deadline != session.scheduled else { return }
      session.scheduled = deadline
      if !rise(from: place) { sink(from: place) }
      if place == 0 || session.place == 0 { earliest = heap.first?.scheduled }
    } else {
      session.scheduled = deadline
      heap.append(session)
      session.place = heap.count - 1
      _ = rise(from: heap.count - 1)
      if session.place == 0 { earliest = deadline }
    }
  }

  /// Takes `session` out, if it is here.
  mutating func remove(_ session: Session) {
    guard let place = session.place else { return }
    session.place = nil
    let last = heap.removeLast()
    if last !== session {
      heap[place] = last
      last.place = place
      if !rise(from: place) { sink(from: place) }
    }
    earliest = heap.first?.scheduled
  }

  private func precedes(_ a: Session, _ b: Session) -> Bool {
    a.scheduled != b.scheduled ? a.scheduled < b.scheduled : a.id.number < b.id.number
  }

  /// Whether it had to move.
  private mutating func rise(from start: Int) -> Bool {
    var place = start
    while place > 0, case let parent = (place - 1) / 2, precedes(heap[place], heap[parent]) {
      exchange(place, parent)
      place = parent
    }
    return place != start
  }

  private mutating func sink(from start: Int) {
    var place = start
    while true {
      var least = place
      let (left, right) = (2 * place + 1, 2 * place + 2)
      if left < heap.count, precedes(heap[left], heap[least]) { least = left }
      if right < heap.count, precedes(heap[right], heap[least]) { least = right }
      guard least != place else { return }
      exchange(place, least)
      place = least
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    heap[a].place = a
    heap[b].place = b
  }
}
