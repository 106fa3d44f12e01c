import Engine
import Synchronization

/// Holds the newest snapshot of the peer until the event loop takes it. An older snapshot that was not taken is discarded, so the
/// control thread never waits, and nothing accumulates.
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

  /// Takes the newest snapshot.
  func take() -> PeerSnapshot? {
    newest.withLock { newest in
      defer { newest = nil }
      return newest
    }
  }
}
