import CRealtime

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
