import Dispatch
import Synchronization

/// Writes the highest reserved term (the bound of ``TermReservation``) and the session of a peer on a background queue, so that a
/// slow disk delays no other thread. If several values of a kind wait, only the newest is written.
final class StateWriter: Sendable {
  /// The values that wait to be written.
  private struct Waiting {
    var term: UInt64?
    var session: SavedSession?
    /// A bound whose write failed, and a session that must not be written before this bound. The next write includes both, unless newer
    /// values wait.
    var failedTerm: UInt64?
    var heldSession: SavedSession?
    var isEmpty: Bool { term == nil && session == nil }
  }

  private let queue = DispatchQueue(label: "state")
  private let waiting = Mutex(Waiting())
  private let writeTerm: @Sendable (UInt64) -> Bool
  private let writeSession: @Sendable (SavedSession) -> Bool
  private let onFailure: @Sendable () -> Void
  private let hasFailed = Atomic(false)

  /// - Parameters:
  ///   - writeTerm: writes a bound to the disk and returns whether it succeeded.
  ///   - writeSession: writes a session to the disk and returns whether it succeeded.
  ///   - onFailure: called on the background queue when a bound or a session could not be written for the first time.
  init(
    writeTerm: @escaping @Sendable (UInt64) -> Bool, writeSession: @escaping @Sendable (SavedSession) -> Bool,
    onFailure: @escaping @Sendable () -> Void
  ) {
    (self.writeTerm, self.writeSession, self.onFailure) = (writeTerm, writeSession, onFailure)
  }

  func write(term: UInt64) { add { $0.term = term } }
  func write(_ session: SavedSession) { add { $0.session = session } }

  /// Waits until all writes have ended, for at most `limit`.
  ///
  /// - Returns: whether all writes have ended. Some of them may have failed.
  func finish(within limit: DispatchTimeInterval) -> Bool {
    let isWritten = DispatchSemaphore(value: 0)
    queue.async { isWritten.signal() }
    return isWritten.wait(timeout: .now() + limit) == .success
  }

  /// Changes the values that wait. If no value waited before, schedules the write on the queue.
  private func add(_ change: (inout Waiting) -> Void) {
    let isFirst = waiting.withLock { waiting in
      defer { change(&waiting) }
      return waiting.isEmpty
    }
    if isFirst { queue.async { [self] in writeWaiting() } }
  }

  private func writeWaiting() {
    let values = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting
    }
    // The bound is written first. If this fails, a session with a rhythm is not written either: the claim of the rhythm can have a term
    // above the bound that is on the disk.
    let (term, session) = (values.term ?? values.failedTerm, values.session ?? values.heldSession)
    let isTermWritten = term.map(writeTerm) ?? true
    let isHeld = !isTermWritten && session?.rhythm != nil
    if !isTermWritten { waiting.withLock { ($0.failedTerm, $0.heldSession) = (term, isHeld ? session : nil) } }
    let isSessionWritten = isHeld || session.map(writeSession) ?? true
    if !isTermWritten || !isSessionWritten, !hasFailed.exchange(true, ordering: .relaxed) { onFailure() }
  }
}
