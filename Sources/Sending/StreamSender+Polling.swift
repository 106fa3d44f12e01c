public import MusicalTime

extension StreamSender {
  /// Does the next piece of work that is due, or sends the next deferrable packet if there is time for it.
  /// ``StreamSender`` describes the priorities.
  ///
  /// - Parameter now: the current instant. It must not decrease from call to call.
  /// - Returns: nil if there is nothing to do before ``nextDeadline``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func poll(at now: Instant) -> Output? { poll(at: now, sendsGuards: true) }

  /// Does the same as ``poll(at:)``, but sends no guard packets. A driver that executes several stream commands at one
  /// instant calls this function after each of them. The packet of the next command to the same stream carries the
  /// recovery journal too, and makes a guard packet unnecessary.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func pollExceptGuards(at now: Instant) -> Output? { poll(at: now, sendsGuards: false) }

  @_noLocks @_noAllocation
  private mutating func poll(at now: Instant, sendsGuards: Bool) -> Output? {
    while true {
      if hasDueSeries, let transmission = nextDuePacket(at: now) { return .packet(transmission) }
      // While a batch is in progress, the work that is due up to the instant `batch` goes first.
      if let batch {
        switch nextDueWork(at: batch) {
        case .output(let output): return output
        case .progress: continue
        case .none:
          self.batch = nil
          nextDue = findNextDue()
          // After a batch, some deferrable packets are sent even if the next work is already due.
          allowance = Self.slice
        }
      }
      if nextDue <= now {
        if allowance > 0, let transmission = nextDeferrable(at: now, sendsGuards: sendsGuards) {
          allowance -= 1
          return .packet(transmission)
        }
        // A batch of due work begins. It contains only the work that is due now, not the work that becomes due
        // meanwhile. Otherwise a machine that is too slow would never end a batch, and would never send deferrable
        // packets.
        batch = now
        isQuiet = false
        continue
      }
      allowance = 0
      isQuiet = now >= nextDue - quietTime
      if isQuiet { return nil }
      if let transmission = nextDeferrable(at: now, sendsGuards: sendsGuards) { return .packet(transmission) }
      // `nextDeferrable` may have found that no tick is pending any more, because a stream was closed. The work that
      // has waited for the pending ticks is then due now.
      if nextDue > now { return nil }
    }
  }

  /// The instant at which ``poll(at:)`` has work next, unless a command is executed or a schedule is adopted earlier.
  /// Valid after ``poll(at:)`` has returned nil. In the quiet time before a deadline, a due guard packet waits for this deadline.
  ///
  /// Real-time: safe.
  public var nextDeadline: Instant {
    @_noLocks @_noAllocation get { isQuiet || nextDue < guardsDue ? nextDue : guardsDue }
  }

  /// Makes the next call of ``poll(at:)`` compute the deadlines again.
  @_noLocks @_noAllocation
  mutating func invalidateDeadlines() { (nextDue, allowance) = (Instant(nanoseconds: .min), 0) }
}
