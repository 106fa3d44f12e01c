import MusicalTime

// Deferrable packets, which may wait for packets that are due: the packets of the message in progress, ticks that leave
// ahead of time, and guard packets.
extension StreamSender {
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
}
