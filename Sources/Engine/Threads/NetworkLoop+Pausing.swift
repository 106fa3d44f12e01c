import Realtime

// The limit of the processor time.
extension NetworkLoop {
  /// Pauses if the thread has used its share of the processor. Called after each ``round()``. Datagrams that arrive during the
  /// pause wait in the receive buffers. The kernel drops those that do not fit.
  ///
  /// Real-time: safe (it waits by design).
  @_noLocks @_noAllocation
  mutating func pause() {
    guard let end = budget.pauseEnd(used: ThreadClock.used, at: MonotonicClock.now) else { return }
    counters.pauses += 1
    MonotonicClock.sleep(until: end)
  }
}
