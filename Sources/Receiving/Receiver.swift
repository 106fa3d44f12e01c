import BasicContainers
public import MusicalTime
import PeerProtocol
public import RTPMIDI

/// The receiving half of all sessions: finds the session of a packet, decodes the packet, repairs losses, and answers requests for
/// the clock.
///
/// The receiver does no I/O and reads no clock. Its driver executes commands and passes each RTP packet that arrives at the data
/// port to ``receive(_:from:at:)``. Then it calls ``next(in:)`` until the result is nil. Each result goes to the control thread.
/// In the engine, the driver is the network thread. In a simulation, it is the virtual peer.
///
/// # Memory
///
/// A session needs about 10 kB. Another thread allocates this memory as a ``SessionBlock``, and the driver adds it with
/// ``add(_:)`` before a session needs it. No function of the receiver allocates.
public struct Receiver: ~Copyable {
  /// The memory of the sessions: slot s is in block s / 64.
  private var blocks = RigidArray<SessionBlock>(capacity: SessionBlock.limit)
  private var sources = SourceTable()
  private var early = EarlyPackets()
  /// The source of the session that was opened last: its early packets are received.
  private var opened: StreamSource?
  /// The slot of the packet that is being read; nil if there is none.
  private var slot: SessionBlock.Place?
  /// The arrival of the packet that is being read.
  private var arrival = Instant(nanoseconds: 0)
  /// The identity of the local peer.
  private let identity: UInt64
  /// The rate limit in the replies to clock probes.
  private var probeRateLimit: UInt16 = 0

  /// Creates a receiver without memory for sessions.
  ///
  /// - Parameter identity: the identity of the local peer, which the replies to clock probes contain.
  ///
  /// Real-time: not safe.
  public init(identity: UInt64) { self.identity = identity }

  /// The number of slots that can be used.
  ///
  /// Real-time: safe.
  public var capacity: Int { @_noLocks @_noAllocation get { blocks.count * SessionBlock.slots } }

  /// Adds memory for 64 sessions. A receiver has at most ``SessionBlock/limit`` blocks.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ block: consuming SessionBlock) {
    blocks.append(block)
  }

  /// Executes a command. A command for a slot beyond the capacity has no effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func execute(_ command: ReceivingCommand) {
    switch command {
    case .open(let slot, let session, let source):
      guard let slot = place(of: slot) else { return }
      blocks[slot.block].sessions[slot.index].open(session, source)
      sources.insert(source, at: slot)
      opened = source
    case .close(let slot, let session):
      guard let slot = place(of: slot), blocks[slot.block].sessions[slot.index].belongs(to: session) else { return }
      sources.remove(slot, of: blocks[slot.block].sessions[slot.index].source.ssrc)
      blocks[slot.block].sessions[slot.index].close()
    case .limitProbes(let limit): probeRateLimit = limit
    }
  }

  /// The place of a slot; nil if there is no memory for it.
  @_noLocks @_noAllocation
  private func place(of slot: Int) -> SessionBlock.Place? { slot < capacity ? SessionBlock.Place(slot: slot) : nil }

  /// Returns a packet that arrived shortly before the last command opened its session; nil if there is none. The driver passes it
  /// to ``receive(_:from:at:)``. Called after each command until the result is nil.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func takeEarlyPacket(at now: Instant) -> EarlyPacket? {
    guard let source = opened else { return nil }
    if let packet = early.take(of: source.ssrc, from: source.address, at: now) { return packet }
    opened = nil
    return nil
  }

  /// Begins to read an RTP packet that arrived at the data port. ``next(in:)`` returns its messages.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func receive(
    _ packet: Span<UInt8>, from address: SocketAddress, at arrival: Instant
  ) -> Reception {
    (slot, self.arrival) = (nil, arrival)
    do {
      let (header, _) = try RTPHeader.decode(packet)
      guard let slot = sources.place(of: header.ssrc, at: address) else {
        early.keep(packet, of: header.ssrc, from: address, at: arrival)
        return .unknownSource(header.ssrc, from: address, arrival: arrival)
      }
      // The control thread knows the upper bits of the time stamps.
      try blocks[slot.block].sessions[slot.index].stream.open(packet, near: Instant(nanoseconds: 0))
      guard let session = blocks[slot.block].sessions[slot.index].session else { return .dropped(.otherSource) }
      self.slot = slot
      return .packet(
        session, PacketReport(of: header, in: blocks[slot.block].sessions[slot.index].stream, arrivedAt: arrival),
        sendInstant: header.sendInstant(in: packet))
    } catch {
      return .dropped(error)
    }
  }

  /// Returns the next message of the packet that is being read; nil after the last one.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(in packet: Span<UInt8>) -> Reception? {
    guard let slot, let session = blocks[slot.block].sessions[slot.index].session else { return nil }
    switch blocks[slot.block].sessions[slot.index].stream.next(in: packet) {
    case .message(let message, let stamp):
      return .message(session, message, stamp: stamp, arrival: arrival, isRecovered: false)
    case .recovered(let message, let stamp):
      return .message(session, message, stamp: stamp, arrival: arrival, isRecovered: true)
    case .systemExclusive(let stamp):
      return .systemExclusive(session, stamp: stamp, arrival: arrival)
    case nil:
      self.slot = nil
      return nil
    }
  }

  /// The data of the System Exclusive that ``next(in:)`` has just returned.
  ///
  /// Real-time: safe.
  public var systemExclusive: ReceivedSystemExclusive {
    @_noLocks @_noAllocation get {
      guard let slot else { return ReceivedSystemExclusive() }
      return ReceivedSystemExclusive(of: blocks[slot.block].sessions[slot.index].stream)
    }
  }

  /// Returns the reply to a request for the clock of a peer in session: a CK0, or a clock probe other than an acknowledgement. Nil
  /// for every other packet.
  ///
  /// The identity of the session is that of the data port: call this function only for packets that arrived there.
  ///
  /// - Parameters:
  ///   - arrival: the arrival of the packet.
  ///   - now: the instant at which the reply leaves.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func reply(
    to packet: Span<UInt8>, from address: SocketAddress, at arrival: Instant, sentAt now: Instant
  ) -> ClockReply? {
    if let probe = ClockProbe(packet), let ssrc = sources.localSSRC(for: probe.ssrc, at: address) {
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
}
