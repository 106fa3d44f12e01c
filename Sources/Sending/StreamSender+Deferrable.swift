import MusicalTime

// The packets that may wait: the message in progress, ticks that leave ahead of time, guard packets.
extension StreamSender {
  /// Encodes the next deferrable packet.
  @_noLocks @_noAllocation
  mutating func nextDeferrable(at now: Instant, sendsGuards: Bool) -> Transmission? {
    // A timeline message goes before the ticks that it describes.
    if let transmission = nextOfBroadcast(at: now) { return transmission }
    if let transmission = nextPendingTick(at: now) { return transmission }
    // The work that has waited for the pending ticks goes before guard packets. If all deadlines are missed, guard packets
    // use the allowance after each batch.
    if (nextDue <= now && allowance == 0) || !sendsGuards { return nil }
    return nextGuard(at: now)
  }

  @_noLocks @_noAllocation
  mutating func begin(_ broadcast: Broadcast) {
    self.broadcast = broadcast
    if case .stream(let id) = broadcast.receiver {
      if case .none = slot(of: id) { self.broadcast.content = .none }
    } else {
      seekReceiver()
    }
  }

  @_noLocks @_noAllocation
  private mutating func nextOfBroadcast(at now: Instant) -> Transmission? {
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

  /// Returns the receiver of the next packet.
  @_noLocks @_noAllocation
  private mutating func takeReceiver() -> Int {
    if case .stream(let id) = broadcast.receiver {
      broadcast.content = .none
      return id.slot
    }
    let slot = order[broadcast.index]
    broadcast.index += 1
    seekReceiver()
    return slot
  }

  /// Moves the message in progress to its next receiver, or completes it.
  @_noLocks @_noAllocation
  private mutating func seekReceiver() {
    var isForTuttiPeers = true
    if case .standardDevices = broadcast.receiver { isForTuttiPeers = false }
    while broadcast.index < order.count {
      if streams[order[broadcast.index]].isTuttiPeer == isForTuttiPeers { return }
      broadcast.index += 1
    }
    broadcast.content = .none
  }
}
