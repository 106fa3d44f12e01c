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
    reserveTable(capacity)
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
      senders[slot].sendsInstants = true
    case .setTimeStamped(let id, let isTimeStamped):
      guard let slot = slot(of: id) else { return }
      streams[slot].isTimeStamped = isTimeStamped
      // The other time-stamp receivers have got some ticks ahead of time. A new time-stamp receiver still needs these
      // ticks.
      if pendingTick >= schedule.start { findPendingTicks() }
      invalidateDeadlines()
    case .setJournal(let id, let isSent): if let slot = slot(of: id) { senders[slot].sendsJournal = isSent }
    case .acknowledge(let id, let sequence): if let slot = slot(of: id) { acknowledge(sequence, on: slot) }
    case .close(let id): if let slot = slot(of: id) { close(slot) }
    case .exclusive(let data, let id, let isJournalled):
      exclusive.removeAll()
      var index = 0
      while index < data.count {
        exclusive.append(data.octets[index])
        index += 1
      }
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
    var index = 0
    while index < part.count {
      exclusive.append(part.octets[index])
      index += 1
    }
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
    streams[slot] = Stream(id, to: address, from: local, takesClock: takesClock)
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
