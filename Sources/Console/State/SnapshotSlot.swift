import Engine
import Synchronization

/// Passes the newest snapshot of the peer from the control thread to the event loop. A snapshot that was not taken is discarded when a
/// newer one arrives, so the control thread never waits, and nothing accumulates.
final class SnapshotSlot: Sendable {
  private let newest = Mutex<PeerSnapshot?>(nil)

  /// Stores a snapshot. Returns whether the slot was empty, so that the event loop must be woken.
  func put(_ snapshot: PeerSnapshot) -> Bool {
    let previous = newest.withLock { newest in
      defer { newest = snapshot }
      return newest
    }
    // The previous snapshot is deallocated here, outside of the lock.
    return previous == nil
  }

  /// Removes and returns the newest snapshot; nil if there is none since the last call.
  func take() -> PeerSnapshot? {
    newest.withLock { newest in
      defer { newest = nil }
      return newest
    }
  }
}
