import MusicalTime

/// The instants at which a message is sent again, because a datagram can get lost.
struct Repeats: Sendable {
  private var instants: [Instant]

  /// - Parameter instants: in ascending order.
  init(at instants: [Instant] = []) { self.instants = instants }

  /// The instant of the next repeat; the distant future if no repeat is left.
  var nextDeadline: Instant { instants.first ?? .distantFuture }
  var isEmpty: Bool { instants.isEmpty }

  /// Removes the next repeat if it is due at `now`.
  ///
  /// - Returns: whether a repeat was due.
  mutating func take(at now: Instant) -> Bool {
    guard let due = instants.first, now >= due else { return false }
    instants.removeFirst()
    return true
  }
}
