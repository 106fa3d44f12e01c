import CRealtime
import Glibc

/// The memory lock: keeps all pages of the process in memory, so that no real-time thread waits for a page fault.
public enum MemoryLock {
  /// Locks all current and future mappings (`mlockall`). If the kernel refuses, the process continues without the lock.
  ///
  /// - Returns: nil on success, otherwise a warning for the user with the remedy.
  ///
  /// Real-time: not safe.
  public static func lockAll() -> String? {
    guard mlockall(MCL_CURRENT | MCL_FUTURE) != 0 else { return nil }
    return "memory lock: refused (\(String(cString: strerror(errno)))), so page faults can delay ticks; "
      + "set `memlock unlimited` for your user in /etc/security/limits.conf and log in again, or run as root"
  }
}
