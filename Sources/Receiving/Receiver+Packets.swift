import MIDI
public import MusicalTime
public import PeerProtocol
public import RTPMIDI

// Received RTP packets and clock requests.
extension Receiver {
  /// Begins to read an RTP packet that arrived at the data port. ``next(in:)`` returns its messages.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func receive(
    _ packet: Span<UInt8>, from address: SocketAddress, at arrival: Instant
  ) -> Reception {
    (place, self.arrival) = (nil, arrival)
    do {
      let (header, _) = try RTPHeader.decode(packet)
      guard let place = sources.place(of: header.ssrc, at: address) else {
        early.keep(packet, of: header.ssrc, from: address, at: arrival)
        return .unknownSource(header.ssrc, from: address, arrival: arrival)
      }
      let previous = blocks[place.block].sessions[place.index].stream.newestSequence()
      recoveredStamp = nil
      // Only the lower 32 bits of the time stamps are decoded here (``Reception``), so the reference instant may be 0.
      // The control thread adds the upper bits.
      try blocks[place.block].sessions[place.index].stream.open(packet, near: Instant(nanoseconds: 0))
      if case .some = blocks[place.block].sessions[place.index].sensed {
        blocks[place.block].sessions[place.index].sensed = arrival
      }
      self.place = place
      // A packet repeats the time stamps of earlier packets with notes that are not due yet (``PeerProtocol/AnnouncedPackets``). If
      // such packets were lost, the notes that are recovered from the journal get the repeated time stamp.
      if let previous, let stamp = header.announcedTimestamp(in: packet, after: previous) {
        recoveredStamp = Instant(hundredMicroseconds: Int64(stamp))
      }
      return .packet(
        blocks[place.block].sessions[place.index].session,
        PacketReport(of: header, in: &blocks[place.block].sessions[place.index].stream, arrivedAt: arrival),
        sendInstant: header.sendInstant(in: packet))
    } catch {
      return .dropped(error)
    }
  }

  /// Returns the next output of the packet that is being read; nil after the last one.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(in packet: Span<UInt8>) -> Output? {
    if let output = pending.removeFirst() { return output }
    guard let place else { return nil }
    while true {
      // A message that is kept takes effect later: ``nextTimed(at:)`` returns its outputs.
      switch blocks[place.block].sessions[place.index].stream.next(in: packet) {
      case .message(let message, let stamp):
        if case .activeSensing = message {
          let wasWaiting = blocks[place.block].sessions[place.index].hasWork
          blocks[place.block].sessions[place.index].sensed = arrival
          if !wasWaiting { addWaiting(place) }
        }
        if keep(message, stamp, at: place) { continue }
        if let output = output(message, stamp, arrival: arrival, isRecovered: false, at: place, now: arrival) {
          return output
        }
      case .recovered(let message, let stamp):
        // Only packets with notes are announced. Other messages of the journal take effect at once.
        var noteStamp: Instant?
        if case .some = message.key { noteStamp = recoveredStamp }
        if keep(message, noteStamp, at: place) { continue }
        if let output = output(message, stamp, arrival: arrival, isRecovered: true, at: place, now: arrival) {
          return output
        }
      case .systemExclusive(let stamp):
        let session = blocks[place.block].sessions[place.index].session
        return .reception(.systemExclusive(session, stamp: stamp, arrival: arrival))
      case nil:
        self.place = nil
        return nil
      }
    }
  }

  /// Returns the first output of a message of the session at `place`, and sets ``instant``. Nil if the message was dropped or waits, because
  /// the peer sends too many (``InputLimit``).
  @_noLocks @_noAllocation
  mutating func output(
    _ message: Message, _ stamp: Instant, arrival: Instant, isRecovered: Bool, at place: SessionBlock.Place,
    now: Instant
  ) -> Output? {
    instant = nil
    // A note may have been passed to the sound before its instant. Its end must not take effect before its beginning.
    if message.silencesNote || message.endsAllNotes {
      instant = blocks[place.block].sessions[place.index].lastInstant
    }
    let wasWaiting = blocks[place.block].sessions[place.index].hasWork
    let alreadyRefused = blocks[place.block].sessions[place.index].limit.refused
    let verdict = blocks[place.block].sessions[place.index].verdict(
      on: message, stamp: stamp, arrival: arrival, at: now)
    refusedOfSessions &+= blocks[place.block].sessions[place.index].limit.refused &- alreadyRefused
    if !wasWaiting { addWaiting(place) }
    switch verdict {
    case .waiting, .refused: return nil
    case .admitted: return output(message, stamp, arrival: arrival, isRecovered, isAdmitted: true, at: place)
    case nil: return output(message, stamp, arrival: arrival, isRecovered, isAdmitted: false, at: place)
    }
  }

  /// Returns the first output of a message of the session at `place` that takes effect, or that only the control thread gets (`isAdmitted` is
  /// false).
  @_noLocks @_noAllocation
  mutating func output(
    _ message: Message, _ stamp: Instant, arrival: Instant, _ isRecovered: Bool, isAdmitted: Bool,
    at place: SessionBlock.Place
  ) -> Output {
    let session = blocks[place.block].sessions[place.index].session
    let shapes = isAdmitted && shapesInstrument(message, at: place)
    let reception = Reception.message(
      session, message, stamp: stamp, arrival: arrival, isRecovered: isRecovered, isAdmitted: isAdmitted && !shapes)
    if shapes {
      pending.append(.reception(.shaped(session)))
      pending.append(.reception(reception))
      return .shape(message, from: session)
    }
    return isAdmitted ? sound(message, at: place, then: reception) : .reception(reception)
  }

  /// Whether an admitted message of the session at `place` changes the sound of the local player's instrument.
  // Mutating for the same reason as `subscript(sealerFor:onHostOf:)`.
  @_noLocks @_noAllocation
  private mutating func shapesInstrument(_ message: Message, at place: SessionBlock.Place) -> Bool {
    guard blocks[place.block].sessions[place.index].admission.shaping, message.shapesInstrument,
      let channel = message.channel, let localChannel
    else { return false }
    return channel.wire == localChannel.wire
  }

  /// Whether a message of the session at `place` concerns the pitches of the local player's instrument.
  // Mutating for the same reason as `subscript(sealerFor:onHostOf:)`.
  @_noLocks @_noAllocation
  private mutating func setsPitch(_ message: Message, at place: SessionBlock.Place) -> Bool {
    message.isOnChannel(of: blocks[place.block].sessions[place.index].admission.pitchChannels)
  }

  /// Returns the first output of an admitted message of the session at `place`. The order of the outputs is: the pitch for the
  /// instrument, the sound, the recording, the copy for the control thread. Not every message has all four outputs.
  @_noLocks @_noAllocation
  mutating func sound(_ message: Message, at place: SessionBlock.Place, then reception: Reception) -> Output {
    let session = blocks[place.block].sessions[place.index].session
    // This call returns the first output. The following calls of `next(in:)`, `next()` or `nextTimed(at:)` return the others.
    defer { pending.append(.reception(reception)) }
    switch blocks[place.block].sessions[place.index].sound(of: message) {
    case .unchanged:
      guard message.endsAllNotes, setsPitch(message, at: place) else {
        return .sound(message, from: session)
      }
      // The message also releases the keys that set pitches.
      pending.append(.sound(message, from: session))
      return .pitch(message, from: session)
    case .softer(let softer):
      pending.append(.record(message, from: session))
      return .hear(softer, from: session)
    case .nothing:
      guard setsPitch(message, at: place) else {
        return .record(message, from: session)
      }
      pending.append(.record(message, from: session))
      return .pitch(message, from: session)
    }
  }

  /// The data of the System Exclusive message that ``next(in:)`` has just returned.
  ///
  /// Real-time: safe.
  public var systemExclusive: ReceivedSystemExclusive {
    @_noLocks @_noAllocation get {
      guard let place else { return ReceivedSystemExclusive() }
      return ReceivedSystemExclusive(of: blocks[place.block].sessions[place.index].stream)
    }
  }

  /// The same data as an array.
  ///
  /// Real-time: not safe.
  public var systemExclusiveOctets: [UInt8] {
    // Mutating for the same reason as `subscript(sealerFor:onHostOf:)`.
    mutating get {
      guard let place else { return [] }
      return blocks[place.block].sessions[place.index].stream.systemExclusiveOctets()
    }
  }

  /// Whether a peer with this SSRC on the host of `address` is in session.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func knows(_ ssrc: UInt32, onHostOf address: SocketAddress) -> Bool {
    sources.contains(ssrc, onHostOf: address)
  }

  /// Returns the reply to the clock request of a peer in session. A clock request is a CK0, or a clock probe other than
  /// an acknowledgement. Nil for every other packet. If the local peer has a passkey, also nil for a probe in a session
  /// without keys.
  ///
  /// The function finds the session by the address of the peer's data port. Call it only for packets that arrived at
  /// the local data port.
  ///
  /// - Parameters:
  ///   - arrival: the arrival of the packet.
  ///   - now: the instant at which the reply leaves.
  ///
  /// Real-time: safe.
  // Mutating for the same reason as `subscript(sealerFor:onHostOf:)`.
  @_noLocks @_noAllocation
  public mutating func reply(
    to packet: Span<UInt8>, from address: SocketAddress, at arrival: Instant, sentAt now: Instant
  ) -> ClockReply? {
    if let probe = ClockProbe(packet), let ssrc = sources.localSSRC(for: probe.ssrc, at: address) {
      if hasPasskey, case .none = self[sealerFor: probe.ssrc, onHostOf: address] { return nil }
      let answer = probe.answer(
        from: ssrc, identity: identity, rateLimit: probeRateLimit, receivedAt: arrival, sentAt: now)
      guard let answer else { return nil }
      return .probe(answer)
    }
    // The count of a CK0 is 0.
    guard let request = ClockPacket(packet), request.count == 0,
      let ssrc = sources.localSSRC(for: request.ssrc, at: address), let reply = request.reply(from: ssrc, sentAt: now)
    else { return nil }
    return .clockPacket(reply)
  }

  // The tags of sessions with a passkey.

  /// Checks the tag of a datagram, if the session of its source has a passkey.
  ///
  /// A datagram that can begin a session has no tag: its sender has no keys yet, or has lost them. Such a datagram cannot affect
  /// the existing session of its source.
  ///
  /// - Parameters:
  ///   - address: the address of the sender.
  ///   - port: the local port at which the datagram has arrived.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func authenticate(
    _ datagram: Span<UInt8>, _ header: DatagramHeader, from address: SocketAddress, port: Port
  ) -> DatagramAuthenticity {
    guard hasKeys, let place = sources.place(of: header.ssrc, onHostOf: address),
      case .some = blocks[place.block].sessions[place.index].opener
    else { return .unprotected }
    if header.canBegin { return .beginning }
    guard let count = blocks[place.block].sessions[place.index].opener?.open(datagram, port: port) else {
      return .refused
    }
    return .authentic(count: count)
  }

  /// Whether a packet that arrived before its session was opened is accepted. Removes the tag of the packet by reducing
  /// its count.
  // This attribute excludes the function from the check of the real-time annotations. The check mistakes the end of a
  // span's lifetime for a deallocation.
  @_semantics("no_performance_analysis")
  mutating func admit(_ packet: inout EarlyPacket) -> Bool {
    let octets = packet.octets.span.extracting(first: packet.count)
    switch authenticate(octets, DatagramHeader(octets), from: packet.source, port: .data) {
    case .unprotected, .beginning: return true
    case .authentic(let count):
      packet.count = count
      return true
    case .refused: return false
    }
  }

  /// The sealer for replies to the peer of a session; nil without a passkey, and if there is no such session. A sealer
  /// counts its packets. After the driver has sealed a reply, it must therefore assign its copy of the sealer back.
  ///
  /// Real-time: safe.
  public subscript(sealerFor ssrc: UInt32, onHostOf address: SocketAddress) -> DatagramSealer? {
    // Mutating, because a call of another getter copies the receiver (6 kB) if it is a property of a class.
    @_noLocks @_noAllocation mutating get {
      guard hasKeys, let place = sources.place(of: ssrc, onHostOf: address) else { return nil }
      return blocks[place.block].sessions[place.index].sealer
    }
    @_noLocks @_noAllocation set {
      guard hasKeys, let place = sources.place(of: ssrc, onHostOf: address) else { return }
      blocks[place.block].sessions[place.index].sealer = newValue
    }
  }
}
