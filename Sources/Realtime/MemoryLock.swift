import CRealtime
import Glibc

/// The memory lock: keeps the memory of the real-time threads resident, so that none of them waits for the disk.
///
/// Pages are locked when they are first used (MCL_ONFAULT). Unused parts of stacks, heaps and libraries therefore take
/// no memory. The first use of a page can delay a real-time thread. Therefore all memory of real-time threads is used
/// once in advance: ``RealtimeThread`` writes its stack, ``SPSCRing`` its slots and the synthesizers their voices, and
/// ``lockCode()`` loads the code.
public enum MemoryLock {
  /// Locks the code of the real-time threads and, if no limit (RLIMIT_MEMLOCK) applies, all current and future mappings. If
  /// the kernel refuses, the process continues without the lock. Also disables huge pages.
  ///
  /// Under a limit, only current mappings are locked, and only if the stack of the main thread can still grow. With
  /// MCL_FUTURE, which locks future mappings, the kernel would refuse every mapping above the limit, and the process would
  /// run out of memory.
  ///
  /// - Returns: nil if everything is locked, otherwise a warning for the user with the remedy.
  ///
  /// Real-time: not safe.
  public static func lockAll() -> String? {
    disableHugePages()
    lockCode()
    // In octets; negative if no limit applies to the process.
    let limit = realtime_lock_limit()
    let flags = MCL_CURRENT | MCL_ONFAULT | (limit < 0 ? MCL_FUTURE : 0)
    let isLocked = mlockall(flags) == 0
    let fault = errno
    // The lock includes the code that only the start has used.
    releaseOtherCode()
    guard isLocked else { return warning("refused (\(String(cString: strerror(fault))))") }
    if limit < 0 { return nil }
    let limitText = limit < 1 << 20 ? "\(limit >> 10) KB" : "\(limit >> 20) MB"
    guard realtime_can_lock(mainStack) != 0 else {
      munlockall()
      return warning("refused (the limit of \(limitText) is too low)")
    }
    return warning("incomplete (the limit of \(limitText) prevents the lock of memory that is allocated later)")
  }

  /// Loads and locks the code that real-time threads call: the modules of the engine (`ProgramCode.c`), and libraries. If the kernel
  /// refuses the lock, the code is only loaded. Call this function again after a library was loaded.
  ///
  /// Real-time: not safe.
  package static func lockCode() { realtime_lock_code() }

  /// Ends the lock of all other code of the program and of libraries, and gives its memory back to the kernel. Code that is used again is
  /// loaded again.
  ///
  /// Real-time: not safe.
  static func releaseOtherCode() { realtime_release_other_code() }

  /// Disables transparent huge pages for this process. Every ten seconds, the kernel thread `khugepaged` would copy memory of
  /// the process into huge pages. On a kernel without preemption, such a copy delays real-time threads: in the lab by up to
  /// 3 ms. The call has no effect on a kernel that does not support the setting.
  ///
  /// Existing huge pages stay, so call this function before the first thread starts. Otherwise, if the stack of a thread ends at a
  /// multiple of 2 MB, the first access to the stack allocates a huge page, and the thread takes 2 MB more memory.
  ///
  /// Real-time: not safe.
  public static func disableHugePages() { _ = realtime_disable_huge_pages() }

  /// The usual maximum size of the main thread's stack, in octets.
  private static let mainStack = 8 << 20

  /// Returns the warning for the user.
  private static func warning(_ state: String) -> String {
    "memory lock: \(state), so page faults can delay ticks; run `tutti doctor`"
  }
}
