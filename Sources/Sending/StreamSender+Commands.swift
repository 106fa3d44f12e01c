import BasicContainers
import MusicalTime
import PeerProtocol
public import RTPMIDI

extension StreamSender {
  /// Allocates the memory for streams with the slots 0..<`capacity`. Does nothing if these slots have memory already.
  ///
  /// Real-time: not safe.
  public mutating func reserve(_ capacity: Int) {
    guard capacity > senders.count else { return }
    // The tables grow by a factor, because a simulation reserves the memory of one stream after another.
    if capacity > senders.capacity { reserveTable(max(capacity, 2 * senders.capacity)) }
    while senders.count < capacity {
      streams.append(Stream.closed)
      senders.append(PacketSender(ssrc: 0, sequence: 0))
    }
  }

  /// Allocates a table for up to `count` streams. ``add(_:)`` supplies the memory of each further stream.
  ///
  /// Real-time: not safe.
  public mutating func reserveTable(_ count: Int) {
    guard count > senders.capacity else { return }
    streams.reallocate(capacity: count)
    senders.reallocate(capacity: count)
    openSlots.reallocate(capacity: count)
  }

  /// Adds the memory for one more stream. The table must have room for it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ sender: consuming PacketSender) {
    streams.append(Stream.closed)
    senders.append(sender)
  }

  /// Whether ``execute(_:)`` may be called: neither a message nor a series of due packets is in progress.
  ///
  /// Real-time: safe.
  public var isReady: Bool {
    // Mutating, because the compiler copies the whole sender for a non-mutating getter.
    @_noLocks @_noAllocation mutating get {
      guard !hasDueSeries, case .none = broadcast.content else { return false }
      return true
    }
  }

  /// Whether a series of due packets is in progress.
  var hasDueSeries: Bool {
    @_noLocks @_noAllocation mutating get {
      if case .none = dueSeries.kind { false } else { true }
    }
  }

  /// Executes a command. Ignores a command for a closed stream, and `open` for a slot without memory. The following
  /// calls of ``poll(at:)`` send the packets of a message.
  ///
  /// - Precondition: ``isReady``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func execute(_ command: StreamCommand) {
    switch command {
    case .open(let id, let address, let local, let ssrc, let sequence, let takesClock, let keys):
      open(id, to: address, from: local, ssrc: ssrc, sequence: sequence, takesClock: takesClock)
      if let keys, let slot = slot(of: id) { streams[slot].sealer = DatagramSealer(keys, thread: .clock) }
    case .recognise(let id):
      guard let slot = slot(of: id) else { return }
      streams[slot].isTuttiPeer = true
      // A Tutti peer is never a clock source of the local peer, even if the stream was opened for a clock source.
      streams[slot].takesClock = true
      // A Tutti peer follows the timeline of the rhythm, which has no offset.
      streams[slot].clock = 0
      senders[slot].sendsInstants = true
    case .setTimeStamped(let id, let isTimeStamped):
      guard let slot = slot(of: id) else { return }
      streams[slot].isTimeStamped = isTimeStamped
      // The other time-stamp receivers have got some ticks ahead of time. A new time-stamp receiver still needs these
      // ticks.
      if pendingTick >= schedule.start { findPendingTicks() }
      invalidateDeadlines()
    case .setOffset(let id, let offset):
      if let slot = slot(of: id), !streams[slot].isTuttiPeer { streams[slot].clock = clock(withOffset: offset) }
    case .setJournal(let id, let isSent): if let slot = slot(of: id) { senders[slot].sendsJournal = isSent }
    case .acknowledge(let id, let sequence): if let slot = slot(of: id) { acknowledge(sequence, on: slot) }
    case .close(let id): if let slot = slot(of: id) { close(slot) }
    case .exclusive(var data, let id, let isJournalled):
      exclusive.removeAll()
      data.append(to: &exclusive)
      var receiver = StreamMessage.Receiver.tuttiPeers
      if let id { receiver = .stream(id) }
      beginBroadcast(Broadcast(.exclusive(isJournalled: isJournalled), to: receiver))
    case .message(let message):
      beginBroadcast(Broadcast(.message(message.message, at: message.instant), to: message.receiver))
    }
  }

  /// Begins to send a part of a document. It is not part of the recovery journal, because the receiver requests lost parts again.
  ///
  /// - Precondition: ``isReady``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func send(_ part: DocumentTransmission) {
    exclusive.removeAll()
    var part = part
    part.append(to: &exclusive)
    beginBroadcast(Broadcast(.exclusive(isJournalled: false), to: .stream(part.stream)))
  }

  /// Opens a stream in the slot of `id`. Does nothing if the slot has no memory.
  @_noLocks @_noAllocation
  private mutating func open(
    _ id: StreamID, to address: SocketAddress, from local: SocketAddress?, ssrc: UInt32, sequence: UInt16,
    takesClock: Bool
  ) {
    let slot = id.slot
    guard slot < senders.count else { return }
    // The command that closes the previous stream in this slot may have been lost in a full ring.
    if streams[slot].isOpen { close(slot) }
    senders[slot].restart(ssrc: ssrc, sequence: sequence)
    senders[slot].sendsJournal = false
    streams[slot] = Stream(id: id, address: address, local: local, takesClock: takesClock)
    openSlots.append(slot)
    invalidateDeadlines()
  }

  /// Closes the stream in a slot. Adjusts ``guardIndex`` and ``pendingIndex``, which are indices in ``openSlots``. The
  /// indices of ``dueSeries`` and ``broadcast`` need no adjustment, because neither is in progress while a command is
  /// executed (``isReady``).
  @_noLocks @_noAllocation
  private mutating func close(_ slot: Int) {
    streams[slot] = Stream.closed
    var index = 0
    while openSlots[index] != slot { index += 1 }
    _ = openSlots.remove(at: index)
    if let next = guardIndex, next > index { guardIndex = next - 1 }
    if hasPendingTicks { findPendingTicks() }
    invalidateDeadlines()
  }

  /// Returns the slot of an open stream; nil if the stream is closed.
  @_noLocks @_noAllocation
  func slot(of id: StreamID) -> Int? {
    guard id.slot < streams.count, streams[id.slot].isOpen, streams[id.slot].id.generation == id.generation else {
      return nil
    }
    return id.slot
  }
}

/// The state of one RTP stream, except its `PacketSender`. A slot of the sender's table without a stream contains
/// ``closed``.
struct Stream: BitwiseCopyable {
  let id: StreamID
  let address: SocketAddress
  /// The local address from which the packets leave; nil if the host chooses it.
  let local: SocketAddress?
  var isOpen = true
  /// Appends the tag, a keyed hash, to each packet; nil without a passkey.
  var sealer: DatagramSealer?
  /// Whether the receiver gets the clock. False for a clock source of the local peer (`--clock-from`).
  var takesClock: Bool
  /// Whether the receiver is a Tutti peer.
  var isTuttiPeer = false
  /// Whether the receiver is a time-stamp receiver, which gets each tick ahead of time. A play-on-arrival receiver gets
  /// each tick at its due time.
  var isTimeStamped = false
  /// The index of the receiver's clock in ``StreamSender/clocks``. The clock has the offset of the receiver.
  var clock = 0
  /// The sent packets with notes that begin or end in the future. Each following packet repeats the sequence numbers and time
  /// stamps of these packets, so that the receiver gets the time stamp of a lost packet.
  var announced = AnnouncedPackets()
  /// The run (one uninterrupted playback) in which the receiver takes part: Start or Continue was sent to the receiver, and Stop was not
  /// sent yet. 0 if there is none.
  var run: UInt32 = 0
  /// The next tick of ``run`` to send.
  var next = Tick(0)
  /// The instant at which the next guard packet is due, if no packet with a command is sent before this instant.
  var guardDue = Instant.distantFuture
  /// The number of guard packets since the last packet with a command.
  var guardCount = 0
  /// Whether the receiver has ever acknowledged a packet.
  var hasAcknowledged = false
  /// The newest acknowledged sequence number. Valid only if ``hasAcknowledged`` is true.
  var acknowledged: UInt16 = 0
  /// Whether an acknowledgement has arrived since the last packet.
  var isAcknowledgementNew = false
  /// Until when the receiver counts as one that acknowledges.
  var trustedUntil = Instant(nanoseconds: .min)
  /// Until when the stream is new; the distant future before the first packet.
  var newUntil = Instant.distantFuture

  /// The content of a slot without a stream.
  static var closed: Stream {
    @_noLocks @_noAllocation get {
      Stream(
        id: StreamID(slot: 0, generation: 0), address: SocketAddress(host: 0, port: 0), local: nil, isOpen: false,
        takesClock: false)
    }
  }
}
