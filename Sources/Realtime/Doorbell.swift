import CRealtime
public import MusicalTime

/// Wakes one sleeping thread before its deadline, by a futex. Ringing costs one system call. Without a ring, the wait ends
/// at the deadline, with the accuracy of the kernel's timer.
///
/// The waiting thread reads ``count``, checks its queues, and then waits with this count. The wait returns at once if
/// the bell was rung after the count was read, so no ring is missed. Like ``SPSCRing``, a doorbell is a handle whose
/// memory is never freed, because real-time code may not count references.
public struct Doorbell: @unchecked Sendable, BitwiseCopyable {
  // The count, which is also the futex. Invariant: allocated in init, never freed, accessed only by the atomic
  // operations and the futex calls of the module CRealtime.
  private let word: UnsafeMutablePointer<UInt32>

  /// Creates a doorbell with count 0.
  ///
  /// Real-time: not safe.
  public init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  /// The number of rings, modulo 2^32.
  ///
  /// Real-time: safe.
  public var count: UInt32 { @_noLocks @_noAllocation get { realtime_bell_count(word) } }

  /// Increments ``count`` and wakes the waiting thread. May be called from any thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func ring() { realtime_bell_ring(word) }

  /// Sleeps until `deadline`, or until the bell is rung. May also return early.
  ///
  /// - Parameter count: the value of ``Doorbell/count`` before the caller checked its queues. If the bell was rung since then, the
  ///   function returns at once.
  ///
  /// Real-time: safe (it waits by design).
  @_noLocks @_noAllocation
  public func wait(until deadline: Instant, since count: UInt32) {
    realtime_bell_wait(word, count, deadline.nanoseconds)
  }
}

/// Wakes a thread that waits for file descriptors, by an eventfd (eventfd(2)). ``Doorbell`` is faster, but cannot be combined with
/// descriptors. The woken thread clears the signal before it looks for work, so no signal is missed.
public struct EventSignal: Sendable, BitwiseCopyable {
  /// The descriptor to wait for. It is never closed, because another thread may signal at any time. The value is -1 if the process
  /// had too many descriptors. The signal then has no effect.
  ///
  /// Real-time: safe.
  public let descriptor: Int32

  /// Real-time: not safe.
  public init() { descriptor = realtime_event_open() }

  /// Wakes the waiting thread. May be called from any thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func signal() { realtime_event_signal(descriptor) }

  /// Clears the signal. Called by the waiting thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func clear() { realtime_event_clear(descriptor) }
}
