public import MusicalTime
import RTPMIDI

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

  // Deferrable packets, which may wait for packets that are due: the packets of the message in progress, ticks that leave
  // ahead of time, and guard packets.

  /// Encodes the next deferrable packet. Returns nil if there is none. Also returns nil if only guard packets are left, and
  /// due work goes first or `sendsGuards` is false.
  ///
  /// - Parameter sendsGuards: whether guard packets may be sent.
  @_noLocks @_noAllocation
  mutating func nextDeferrable(at now: Instant, sendsGuards: Bool) -> Transmission? {
    // The message in progress goes first, because a timeline message has to precede the ticks that it describes.
    if let transmission = nextBroadcastPacket(at: now) { return transmission }
    if let transmission = nextPendingTick(at: now) { return transmission }
    // If no tick is pending any more, `nextPendingTick` has reset the deadlines. The work that waited for the pending ticks
    // may then be due, and goes before guard packets.
    // `allowance` is the number of deferrable packets that may still be sent although work is due. While the allowance
    // lasts, a guard packet is sent before the due work. Otherwise a machine that misses all deadlines would never send
    // guard packets.
    let isDueWorkFirst = nextDue <= now && allowance == 0
    if isDueWorkFirst || !sendsGuards { return nil }
    return nextGuard(at: now)
  }

  /// Begins a message to one or several streams. Drops a message to a closed stream.
  @_noLocks @_noAllocation
  mutating func beginBroadcast(_ broadcast: Broadcast) {
    self.broadcast = broadcast
    if case .stream(let id) = broadcast.receiver {
      if case .none = slot(of: id) { self.broadcast.content = .none }
    } else {
      seekReceiver()
    }
  }

  /// Encodes the next packet of the message in progress. Returns nil if no message is in progress.
  @_noLocks @_noAllocation
  private mutating func nextBroadcastPacket(at now: Instant) -> Transmission? {
    while true {
      let content = broadcast.content
      if case .none = content { return nil }
      let slot = takeReceiver()
      var transmission: Transmission?
      switch content {
      case .none: break
      case .message(let message, let instant):
        // The end of a note is withheld last, so that no note sounds for ever.
        let endsNotes = message.silencesNote || message.endsAllNotes
        guard admits(endsNotes ? .clock : .message, on: slot, at: now) else { break }
        var effective = now
        if let instant { effective = instant }
        transmission = encode(message, at: effective, on: slot, now: now)
      case .exclusive(let isJournalled):
        guard admits(.exclusive, on: slot, at: now) else { break }
        transmission = encodeExclusive(isJournalled: isJournalled, on: slot, now: now)
      }
      if let transmission { return transmission }
    }
  }

  /// Returns the slot of the next receiver of the message in progress, and advances the message to the following
  /// receiver.
  @_noLocks @_noAllocation
  private mutating func takeReceiver() -> Int {
    if case .stream(let id) = broadcast.receiver {
      broadcast.content = .none
      return id.slot
    }
    let slot = openSlots[broadcast.index]
    broadcast.index += 1
    seekReceiver()
    return slot
  }

  /// Advances the index of the message in progress to the next stream that the message is for. The search begins with
  /// the stream at the present index. Ends the message if there is no such stream.
  @_noLocks @_noAllocation
  private mutating func seekReceiver() {
    var isForTuttiPeers = true
    if case .standardDevices = broadcast.receiver { isForTuttiPeers = false }
    while broadcast.index < openSlots.count {
      if streams[openSlots[broadcast.index]].isTuttiPeer == isForTuttiPeers { return }
      broadcast.index += 1
    }
    broadcast.content = .none
  }

  // Guard packets (RFC 4696, section 4.2). They repeat the recovery journal after the last command, until the receiver
  // has acknowledged everything.

  /// Encodes the next guard packet that is due. Returns nil if there is none.
  ///
  /// The streams are examined one after another. Each call continues with the stream after the last examined one, even
  /// if other work was done in between. Therefore the last streams get a guard packet before the first streams get
  /// another one.
  @_noLocks @_noAllocation
  mutating func nextGuard(at now: Instant) -> Transmission? {
    if case .none = guardIndex {
      guard guardsDue <= now else { return nil }
      // The loop below computes `guardsDue` again.
      (guardIndex, guardsDue) = (0, .distantFuture)
    }
    while let index = guardIndex, index < openSlots.count {
      let slot = openSlots[index]
      guardIndex = index + 1
      var transmission: Transmission?
      if streams[slot].guardDue <= now { transmission = encodeGuard(on: slot, at: now) }
      if streams[slot].guardDue < guardsDue { guardsDue = streams[slot].guardDue }
      if let transmission { return transmission }
    }
    guardIndex = nil
    return nil
  }

  /// Encodes a guard packet and schedules the next one. Returns nil if the stream has no recovery journal, or if the
  /// receiver has acknowledged everything.
  @_noLocks @_noAllocation
  private mutating func encodeGuard(on slot: Int, at now: Instant) -> Transmission? {
    streams[slot].guardDue = .distantFuture
    guard senders[slot].needsGuardPacket() else { return nil }
    streams[slot].guardCount += 1
    // After the last guard packet of the series, none is due.
    if let pause = GuardPackets.pause(after: streams[slot].guardCount) { streams[slot].guardDue = now + pause }
    guard admits(.journal, on: slot, at: now) else { return nil }
    packet.removeAll()
    prepareAnnouncements(on: slot, at: now, stamped: now)
    senders[slot].omitsJournal = false
    guard senders[slot].encodeGuard(at: now, into: &packet) else { return nil }
    charge(on: slot, at: now)
    return transmission(on: slot)
  }

  /// Schedules the first guard packet after a packet with a command, which was encoded at `now`.
  @_noLocks @_noAllocation
  mutating func scheduleGuard(on slot: Int, at now: Instant) {
    streams[slot].guardCount = 0
    streams[slot].guardDue = .distantFuture
    guard senders[slot].needsGuardPacket() else { return }
    if let pause = GuardPackets.pause(after: 0) { streams[slot].guardDue = now + pause }
    if streams[slot].guardDue < guardsDue { guardsDue = streams[slot].guardDue }
  }
}
