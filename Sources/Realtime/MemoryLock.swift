import CRealtime
import Glibc

/// The memory lock: keeps all pages of the process in memory, so that no real-time thread waits for a page fault.
public enum MemoryLock {
  /// Locks all current and future mappings (`mlockall`). If the kernel refuses, the process continues without the lock.
  /// Also disables huge pages.
  ///
  /// - Returns: nil on success, otherwise a warning for the user with the remedy.
  ///
  /// Real-time: not safe.
  public static func lockAll() -> String? {
    disableHugePages()
    guard mlockall(MCL_CURRENT | MCL_FUTURE) != 0 else { return nil }
    return "memory lock: refused (\(String(cString: strerror(errno)))), so page faults can delay ticks; "
      + "set `memlock unlimited` for your user in /etc/security/limits.conf and log in again, or run as root"
  }

  /// Disables transparent huge pages for this process. Every ten seconds, the kernel thread `khugepaged` would copy memory of
  /// the process into huge pages. On a kernel without preemption, this delays real-time threads: in the lab by up to 3 ms. A
  /// kernel that does not support the setting ignores the call.
  ///
  /// Real-time: not safe.
  static func disableHugePages() { _ = realtime_disable_huge_pages() }
}
