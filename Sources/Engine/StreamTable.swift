import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Transports

/// The sending halves of all sessions, and what is sent on them: Start, Continue, Clock, Stop and System Exclusive. It
/// belongs to the clock thread, the one writer of every RTP stream.
struct StreamTable: ~Copyable {
  /// Sessions at most.
  static var most: Int { 1100 }

  private let socket: UDPSocket
  private var streams = RigidArray<Stream>(capacity: StreamTable.most)
  /// One for each session that there may be, made beforehand: the clock thread takes no memory.
  private var senders = RigidArray<PacketSender>(capacity: StreamTable.most)
  private var freeSenders = RigidArray<Int>(capacity: StreamTable.most)
  private var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
  private var octets = RigidArray<UInt8>(capacity: ClockCommand.Exclusive.room)
  /// Datagrams sent.
  private(set) var sent: Int64 = 0
  /// Datagrams the kernel would not take.
  private(set) var unsent: Int64 = 0

  init(socket: UDPSocket) {
    self.socket = socket
    for index in 0..<Self.most {
      senders.append(PacketSender(ssrc: 0, sequence: 0))
      freeSenders.append(Self.most - 1 - index)
    }
  }

  /// The sessions served, in no order.
  var sessions: [SessionID] { (0..<streams.count).map { streams[$0].session } }

  /// Begins to serve a session by a stream from `ssrc` that begins with packet `sequence`; one too many is not served.
  @_noLocks @_noAllocation
  mutating func add(_ session: SessionID, at address: SocketAddress, ssrc: UInt32, sequence: UInt16) {
    guard freeSenders.count > 0 else { return }
    let sender = freeSenders.removeLast()
    senders[sender].restart(ssrc: ssrc, sequence: sequence)
    streams.append(Stream(session: session, address: address, sender: sender))
  }

  /// From now on the session's receiver gets its ticks ahead of time.
  @_noLocks @_noAllocation
  mutating func stamp(_ session: SessionID) {
    if let index = index(of: session) { streams[index].isStamped = true }
  }

  @_noLocks @_noAllocation
  mutating func remove(_ session: SessionID) {
    guard let index = index(of: session) else { return }
    freeSenders.append(streams[index].sender)
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

  /// Sends the ticks up to `tick` that each receiver of the kind has not had.
  @_noLocks @_noAllocation
  mutating func sendClock(_ tick: Tick, of plan: Plan, stamped: Bool) {
    var index = 0
    while index < streams.count {
      var stream = streams[index]
      if stream.isStamped == stamped, stream.run == plan.run {
        while stream.next <= tick {
          send(.clock, at: plan.deadline(stream.next), on: stream)
          stream.next = stream.next + 1
        }
        streams[index] = stream
      }
      index += 1
    }
  }

  /// Lets those begin who can begin at `tick`: all at the first tick of the run, latecomers at a bar. A
  /// latecomer hears its place, addressed to it alone.
  @_noLocks @_noAllocation
  mutating func begin(at tick: Tick, of plan: Plan, in bars: Bars, stamped: Bool) {
    guard bars.begins(at: tick, of: plan) else { return }
    var index = 0
    while index < streams.count {
      var stream = streams[index]
      if stream.isStamped == stamped, stream.run != plan.run {
        let instant = plan.deadline(tick)
        if tick.index == 0 {
          send(.start, at: instant, on: stream)
        } else {
          send(.songPosition(bars.songPosition(of: tick.step)), at: instant, on: stream)
          send(.continue, at: instant, on: stream)
        }
        stream.run = plan.run
        stream.next = tick
        streams[index] = stream
      }
      index += 1
    }
  }

  /// Whether a receiver of the kind takes part in `run`.
  @_noLocks @_noAllocation
  func takesPart(in run: UInt32, stamped: Bool) -> Bool {
    var index = 0
    while index < streams.count {
      if streams[index].run == run, streams[index].isStamped == stamped { return true }
      index += 1
    }
    return false
  }

  /// Sends Stop to all of the kind that take part in a run.
  @_noLocks @_noAllocation
  mutating func stop(at instant: Instant, stamped: Bool) {
    var index = 0
    while index < streams.count {
      var stream = streams[index]
      if stream.isStamped == stamped, stream.run != 0 {
        send(.stop, at: instant, on: stream)
        stream.run = 0
        streams[index] = stream
      }
      index += 1
    }
  }

  /// Sends a System Exclusive message to one session, or to all whose receivers honour time stamps.
  @_noLocks @_noAllocation
  mutating func send(_ exclusive: ClockCommand.Exclusive, to session: SessionID?, at now: Instant) {
    octets.removeAll()
    var index = 0
    while index < exclusive.count {
      octets.append(exclusive.octets[index])
      index += 1
    }
    index = 0
    while index < streams.count {
      let stream = streams[index]
      if session.map({ stream.session.number == $0.number }) ?? stream.isStamped {
        packet.removeAll()
        let sent = senders[stream.sender].encode(
          systemExclusive: octets, at: now, isJournalled: false, into: &packet)
        if sent != nil { deliver(to: stream.address) }
      }
      index += 1
    }
  }

  /// Sends a note, a controller or its like to everybody, to be played as it comes.
  @_noLocks @_noAllocation
  mutating func pass(_ message: Message, at now: Instant) {
    var index = 0
    while index < streams.count {
      send(message, at: now, on: streams[index])
      index += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func send(_ message: Message, at instant: Instant, on stream: Stream) {
    packet.removeAll()
    if senders[stream.sender].encode(message, at: instant, into: &packet) { deliver(to: stream.address) }
  }

  @_noLocks @_noAllocation
  private mutating func deliver(to address: SocketAddress) {
    let isSent = socket.send(packet, to: address)
    if isSent { sent += 1 } else { unsent += 1 }
  }
}
