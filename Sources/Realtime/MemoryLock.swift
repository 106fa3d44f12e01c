import CRealtime
import Glibc

/// Keeps the whole process in memory, so that no real-time thread waits for a page.
public enum MemoryLock {
  /// Locks what is mapped and what will be. Without the right to it nothing is locked and nothing fails.
  ///
  /// - Returns: nil when locked, otherwise what to tell the player.
  ///
  /// Real-time: not safe.
  public static func lockAll() -> String? {
    guard mlockall(MCL_CURRENT | MCL_FUTURE) != 0 else { return nil }
    return "memory not locked (\(String(cString: strerror(errno)))), a page fault may delay a tick; "
      + "allow it with `ulimit -l unlimited` (limits.conf: memlock unlimited), CAP_IPC_LOCK, or run as root"
  }
}
