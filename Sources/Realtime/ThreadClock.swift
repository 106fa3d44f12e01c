import CRealtime
public import MusicalTime

/// CLOCK_THREAD_CPUTIME_ID, the processor time of a thread.
public enum ThreadClock {
  /// The processor time that the calling thread has used since its start, including the time in system calls. Whether the
  /// time of interrupts is included depends on the kernel.
  ///
  /// Real-time: safe.
  public static var used: Nanoseconds {
    @_noLocks @_noAllocation get { Nanoseconds(realtime_thread_time()) }
  }
}
