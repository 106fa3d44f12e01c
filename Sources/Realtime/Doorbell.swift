import CRealtime
public import MusicalTime

/// Wakes one sleeping thread before its deadline. A futex: ringing costs one system call, waiting is exact to the
/// timer.
///
/// The waiter reads ``count``, looks at its rings, and waits with that count: a ring in between is not missed.
/// Like ``SPSCRing`` it is a handle whose memory is never given back.
public struct Doorbell: @unchecked Sendable, BitwiseCopyable {
  // Invariant: allocated in init, never freed, touched only by atomic operations of the C shim.
  private let word: UnsafeMutablePointer<UInt32>

  /// Real-time: not safe.
  public init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  /// How often the bell has been rung, modulo 2^32.
  ///
  /// Real-time: safe.
  public var count: UInt32 { @_noLocks @_noAllocation get { realtime_bell_count(word) } }

  /// Wakes the waiter, from any thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func ring() { realtime_bell_ring(word) }

  /// Sleeps until `deadline`, or until the bell has been rung since it stood at `count`.
  ///
  /// Real-time: safe (it waits, as asked).
  @_noLocks @_noAllocation
  public func wait(until deadline: Instant, since count: UInt32) {
    realtime_bell_wait(word, count, deadline.nanoseconds)
  }
}
