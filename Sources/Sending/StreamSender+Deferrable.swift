import MusicalTime

// The packets that may wait: those of the message in progress, ticks that leave ahead of time, and guard packets.
extension StreamSender {
  /// Encodes the next deferrable packet. Returns nil if there is none. Due work goes before guard packets, but not before
  /// the message in progress (``broadcast``) or a pending tick.
  ///
  /// - Parameter sendsGuards: whether guard packets are sent too.
  @_noLocks @_noAllocation
  mutating func nextDeferrable(at now: Instant, sendsGuards: Bool) -> Transmission? {
    // The message in progress goes first, because a timeline message has to precede the ticks that it describes.
    if let transmission = nextBroadcastPacket(at: now) { return transmission }
    if let transmission = nextPendingTick(at: now) { return transmission }
    // Due work goes before guard packets. But if deadlines are missed all the time, some work is always due, and guard
    // packets would never be sent. A guard packet may therefore be sent until `allowance`, the number of deferrable
    // packets between two batches of due work, is used up.
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
        var effective = now
        if let instant { effective = instant }
        transmission = encode(message, at: effective, on: slot, now: now)
      case .exclusive(let isJournalled): transmission = encodeExclusive(isJournalled: isJournalled, on: slot, now: now)
      }
      if let transmission { return transmission }
    }
  }

  /// Returns the slot of the next receiver, and moves the message in progress to the one after it.
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

  /// Moves the message in progress to the next receiver from its index on, or completes it if there is none.
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
}
