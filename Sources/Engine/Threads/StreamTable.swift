import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Transports

/// The sending halves of all sessions, and what is sent on them: Start, Continue, Clock, Stop, notes and System Exclusive.
/// It belongs to the clock thread, the one writer of every RTP stream.
///
/// What goes to everybody and need not go at once is sent in slices: to a thousand followers it takes milliseconds, and
/// a tick that is due meanwhile goes before it.
struct StreamTable: ~Copyable {
  /// Sessions at most.
  static var most: Int { @_noLocks @_noAllocation get { 1100 } }
  /// How many packets go out between two looks at the clock.
  static var slice: Int { @_noLocks @_noAllocation get { 8 } }
  /// How long before what is due next nothing is sent that may wait.
  static var nearness: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(200) } }

  let socket: UDPSocket
  var streams = RigidArray<Stream>(capacity: StreamTable.most)
  /// A sender for every stream there can be, made beforehand with all its memory.
  var senders = RigidArray<PacketSender>(capacity: StreamTable.most)
  private var free = RigidArray<Int>(capacity: StreamTable.most)
  var packet = RigidArray<UInt8>(capacity: Datagram.room)
  private var octets = RigidArray<UInt8>(capacity: ClockCommand.Exclusive.room)
  /// Whether the journal is to keep it.
  private var isJournalled = false
  /// When the soonest guard packet may be due.
  var guardsDue = Instant.distantFuture
  /// The stream at which the sending of guard packets stopped, to go on there.
  var guardsRest = 0
  /// Datagrams sent.
  private(set) var sent: Int64 = 0
  /// Datagrams the kernel would not take.
  private(set) var unsent: Int64 = 0

  init(socket: UDPSocket) {
    self.socket = socket
    for slot in (0..<Self.most).reversed() {
      senders.append(PacketSender(ssrc: 0, sequence: 0))
      free.append(slot)
    }
  }

  /// The sessions served, in no order.
  var sessions: [SessionID] { (0..<streams.count).map { streams[$0].session } }

  var count: Int { @_noLocks @_noAllocation get { streams.count } }

  /// Begins to serve a session; one too many is not served.
  @_noLocks @_noAllocation
  mutating func open(
    _ session: SessionID, to address: SocketAddress, ssrc: UInt32, sequence: UInt16, takesClock: Bool
  ) {
    guard streams.count < Self.most, free.count > 0 else { return }
    let slot = free.removeLast()
    senders[slot].restart(ssrc: ssrc, sequence: sequence)
    senders[slot].sendsJournal = false
    streams.append(Stream(session: session, address: address, sender: slot, takesClock: takesClock))
  }

  /// The session's receiver is a Tutti peer: packets say when they leave from now on.
  @_noLocks @_noAllocation
  mutating func recognise(_ session: SessionID) {
    guard let index = index(of: session) else { return }
    streams[index].isRecognised = true
    streams[index].takesClock = true
    senders[streams[index].sender].sendsInstants = true
  }

  /// Whether the session's receiver gets its ticks ahead of time from now on.
  @_noLocks @_noAllocation
  mutating func stamp(_ session: SessionID, _ isStamped: Bool) {
    if let index = index(of: session) { streams[index].isStamped = isStamped }
  }

  /// Whether the session's packets bear a recovery journal from now on.
  @_noLocks @_noAllocation
  mutating func journal(_ session: SessionID, _ isSent: Bool) {
    if let index = index(of: session) { senders[streams[index].sender].sendsJournal = isSent }
  }

  /// The session's receiver has everything up to the packet `sequence`.
  @_noLocks @_noAllocation
  mutating func acknowledge(_ session: SessionID, _ sequence: UInt16) {
    if let index = index(of: session) { senders[streams[index].sender].acknowledge(sequence) }
  }

  @_noLocks @_noAllocation
  mutating func close(_ session: SessionID) {
    guard let index = index(of: session) else { return }
    free.append(streams[index].sender)
    streams[index] = streams[streams.count - 1]
    streams.removeLast()
  }

  @_noLocks @_noAllocation
  private func index(of session: SessionID) -> Int? {
    var index = 0
    while index < streams.count {
      if streams[index].session.number == session.number { return index }
      index += 1
    }
    return nil
  }

  /// Whether the receiver of the stream of this index is a Tutti peer.
  @_noLocks @_noAllocation
  func isRecognised(_ index: Int) -> Bool { streams[index].isRecognised }

  /// Begins a System Exclusive message, which ``sendPrepared(to:at:)`` sends.
  @_noLocks @_noAllocation
  mutating func prepare(_ exclusive: ClockCommand.Exclusive) {
    octets.removeAll()
    isJournalled = exclusive.isJournalled
    var index = 0
    while index < exclusive.count {
      octets.append(exclusive.octets[index])
      index += 1
    }
  }

  /// Sends the System Exclusive message that is prepared to one session.
  @_noLocks @_noAllocation
  mutating func sendPrepared(to session: SessionID, at now: Instant) {
    if let index = index(of: session) { sendPrepared(index, at: now) }
  }

  @_noLocks @_noAllocation
  mutating func sendPrepared(_ index: Int, at now: Instant) {
    packet.removeAll()
    let sent = senders[streams[index].sender].encode(
      systemExclusive: octets, from: 0, at: now, isJournalled: isJournalled, into: &packet)
    if sent != nil { deliver(index, at: now) }
  }

  /// Sends `message`, which counts at `instant`.
  @_noLocks @_noAllocation
  mutating func send(_ message: Message, at instant: Instant, on index: Int, now: Instant) {
    packet.removeAll()
    if senders[streams[index].sender].encode(message, at: instant, into: &packet) { deliver(index, at: now) }
  }

  /// Sends `message`, which counts at `instant`, on one session.
  @_noLocks @_noAllocation
  mutating func send(_ message: Message, at instant: Instant, to session: SessionID, now: Instant) {
    if let index = index(of: session) { send(message, at: instant, on: index, now: now) }
  }

  @_noLocks @_noAllocation
  private mutating func deliver(_ index: Int, at now: Instant) {
    deliverGuard(index)
    streams[index].guards = 0
    streams[index].guardDue = .distantFuture
    let slot = streams[index].sender
    guard senders[slot].sendsJournal, senders[slot].hasUnacknowledged else { return }
    if let pause = GuardPackets.pause(after: 0) { streams[index].guardDue = now + pause }
    if streams[index].guardDue < guardsDue { guardsDue = streams[index].guardDue }
  }

  /// Sends the packet that is encoded, without its being a reason for others.
  @_noLocks @_noAllocation
  mutating func deliverGuard(_ index: Int) {
    if isAccepted(for: index) { sent += 1 } else { unsent += 1 }
  }

  /// Gives the packet to the kernel, which may refuse it. To a Tutti peer it says when that was.
  @_noLocks @_noAllocation
  private func isAccepted(for index: Int) -> Bool {
    let address = streams[index].address
    guard senders[streams[index].sender].sendsInstants else { return socket.send(packet, to: address) }
    if case .some = socket.send(packet, stampedAt: RTPHeader.instantOffset, to: address) { return true }
    return false
  }
}
