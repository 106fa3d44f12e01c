import Engine
import Synchronization

/// A slot that passes the newest snapshot of the peer from the control thread to the event loop. A newer snapshot replaces one that the
/// event loop has not taken, so the control thread never waits, and snapshots do not accumulate.
final class SnapshotSlot: Sendable {
  private let newest = Mutex<PeerSnapshot?>(nil)

  /// Stores a snapshot. Returns whether the slot was empty. The event loop must then be woken.
  func put(_ snapshot: PeerSnapshot) -> Bool {
    let previous = newest.withLock { newest in
      defer { newest = snapshot }
      return newest
    }
    // `previous` keeps the old snapshot alive until here, so that it is deallocated outside of the lock.
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
