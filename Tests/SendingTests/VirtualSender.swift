import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import RTPMIDI
import Sending

/// A stream sender on virtual time, with receivers that decode every packet. A tick takes 20 ms, and a bar has 16 steps of six
/// ticks. Ticks leave 90 ms ahead for time-stamp receivers. Steps are reported 50 ms ahead.
final class VirtualSender {
  /// When the first tick is due.
  static let origin = Instant(nanoseconds: 5_000_000_000)

  /// A decoded packet.
  struct Packet: Equatable {
    /// The receiver: the number of streams that were opened before its stream.
    var receiver: Int
    /// When the packet was sent: the time since ``origin``.
    var sent: Nanoseconds
    var sequence: UInt16
    /// The RTP time stamp: when the messages take effect.
    var timestamp: UInt32
    /// The send instant; nil if the packet has no room for it.
    var sendInstant: Instant?
    /// The MIDI messages. ``hasExclusive`` tells whether a System Exclusive is among the commands.
    var messages: [Message] = []
    var hasExclusive = false
    var hasJournal = false
    /// The common time stamp of the packets among the last five that this packet announces; nil if it announces none of them, or
    /// if their time stamps differ.
    var announced: UInt32?
    /// The length in octets.
    var length = 0
  }

  var sender: StreamSender
  private(set) var packets: [Packet] = []
  /// The outputs other than packets.
  private(set) var events: [String] = []
  private var ids = StreamIDAllocator()
  /// The stream of each receiver, including closed streams.
  private(set) var streams: [StreamID] = []
  /// The time that sending a packet takes.
  var cost = Nanoseconds.zero
  private(set) var now = VirtualSender.origin - .seconds(1)

  /// - Parameters:
  ///   - capacity: the number of simultaneous streams.
  ///   - reportsTicks: whether ticks, and the beginning and the end of a run, are reported.
  ///   - quietTime: how long before a deadline no deferrable packet is sent (``StreamSender/quietTime``).
  ///   - offsets: the offsets that receivers can have.
  init(
    capacity: Int = 64, reportsTicks: Bool = true, quietTime: Nanoseconds = StreamSender.standardQuietTime,
    offsets: [Nanoseconds] = []
  ) {
    sender = StreamSender(
      capacity: capacity, tickLead: .milliseconds(90), soundLead: .milliseconds(50),
      reportsTicks: reportsTicks, quietTime: quietTime, offsets: offsets)
  }

  /// A schedule of 125 BPM, a tick of 20 ms, in which the tick `start` is due at `origin`. `sends` is whether the sender sends the clock,
  /// as a master does.
  static func schedule(
    run: UInt32 = 1, sends: Bool = true, start: Int64 = 0, end: Int64 = .max, at origin: Instant = origin,
    change: TempoChange? = nil
  ) -> PlaybackSchedule {
    let tempo = Tempo(nanosecondsPerQuarter: 480_000_000)!
    return PlaybackSchedule(
      run: run, sends: sends, start: Tick(start), end: Tick(end),
      tempo: TempoMap(Timeline(tempo: tempo, tick: Tick(start), at: origin), changes: [change].compactMap { $0 }))
  }

  /// Opens a stream and returns its receiver. A Tutti peer is a time-stamp receiver.
  @discardableResult
  func open(isTuttiPeer: Bool = false, hasJournal: Bool = false, takesClock: Bool = true, sequence: UInt16 = 0) -> Int {
    let (id, receiver) = (ids.allocate(), streams.count)
    streams.append(id)
    // The host of the address is the number of the receiver. `decode` reads this number from the destination of the packet.
    let address = SocketAddress(host: UInt32(receiver), port: 5005)
    execute(.open(id, to: address, ssrc: 1, sequence: sequence, takesClock: takesClock))
    if isTuttiPeer {
      execute(.recognise(id))
      execute(.setTimeStamped(id, true))
    }
    if hasJournal { execute(.setJournal(id, true)) }
    return receiver
  }

  /// Opens a stream to a standard device with an offset and returns its receiver.
  func open(offset: Nanoseconds, isTimeStamped: Bool = false) -> Int {
    let receiver = open()
    execute(.setTimeStamped(streams[receiver], isTimeStamped))
    execute(.setOffset(streams[receiver], offset))
    return receiver
  }

  func close(_ receiver: Int) {
    execute(.close(streams[receiver]))
    ids.release(streams[receiver])
  }

  /// Executes a command; polls first if a message is in progress.
  func execute(_ command: StreamCommand) {
    while !sender.isReady, poll() {}
    sender.execute(command)
  }

  func send(_ message: Message, to receiver: StreamMessage.Receiver) {
    execute(.message(StreamMessage(message, at: nil, to: receiver)))
  }

  func send(_ message: Message, to receiver: Int) { send(message, to: .stream(streams[receiver])) }

  /// Polls once. Returns false if there is nothing to do.
  @discardableResult
  func poll() -> Bool {
    guard let output = sender.poll(at: now) else { return false }
    switch output {
    case .packet(let transmission):
      sender.seal(transmission, sentAt: now)
      packets.append(decode(transmission))
      sender.finish(transmission, isAccepted: true)
      now = now + cost
    case .tick(let tick): events.append("tick \(tick.index)")
    case .step(let tick): events.append("step \(tick.index / 6)")
    case .begin(let tick): events.append("begin \(tick.index)")
    case .end: events.append("end")
    case .recall: events.append("recall")
    case .idleTick: events.append("idle")
    case .shifted(let event, let clock):
      switch event {
      case .tick(let tick): events.append("tick \(tick.index) by \(clock)")
      case .begin(let tick): events.append("begin \(tick.index) by \(clock)")
      case .end: events.append("end by \(clock)")
      case .idleTick: events.append("idle by \(clock)")
      }
    }
    return true
  }

  /// Lets time pass until this long after ``origin`` without a poll, like a late driver. Does nothing if this instant has
  /// passed.
  func wait(until time: Nanoseconds) { now = max(now, Self.origin + time) }

  /// Waits until this long after ``origin``, and then polls until nothing is left to do. Returns the next deadline.
  @discardableResult
  func advance(to time: Nanoseconds) -> Instant {
    wait(until: time)
    while poll() {}
    return sender.nextDeadline
  }

  /// Lets time pass in steps of half a millisecond.
  func play(from start: Nanoseconds, to end: Nanoseconds) {
    var time = start
    while time <= end {
      advance(to: time)
      time = time + .microseconds(500)
    }
  }

  /// Removes the packets to one receiver and returns them.
  func takePackets(to receiver: Int) -> [Packet] {
    defer { packets.removeAll { $0.receiver == receiver } }
    return packets.filter { $0.receiver == receiver }
  }

  /// Removes the packets to one receiver and returns their messages with the time stamps.
  func messages(to receiver: Int) -> [StampedMessage] {
    takePackets(to: receiver).flatMap { packet in
      packet.messages.map { StampedMessage(message: $0, timestamp: packet.timestamp) }
    }
  }

  // Properties of `sender`, because an expectation cannot evaluate a property of a value that is not copyable.
  /// The number of packets that were sent.
  var sent: Int64 { sender.sent }
  var isQuiet: Bool { sender.isQuiet }
  var withheld: Int64 { sender.withheld }
  var withheldJournals: Int64 { sender.withheldJournals }
  var nextDeadline: Instant { sender.nextDeadline }
  var cutsPreviousRunShort: Bool { sender.cutsPreviousRunShort }
  var openStreams: [StreamID] { sender.openStreams }

  func removePackets() { packets = [] }
  func removeEvents() { events = [] }

  private func decode(_ transmission: Transmission) -> Packet {
    let octets = (0..<sender.packet.count).map { sender.packet[$0] }
    do {
      let (header, payload) = try RTPHeader.decode(octets.span)
      var cursor = try CommandCursor(octets.span, payload: payload)
      var packet = Packet(
        receiver: Int(transmission.address.low & 0xFFFF), sent: now - Self.origin, sequence: header.sequence,
        timestamp: header.timestamp, sendInstant: header.sendInstant(in: octets.span))
      // Only packets after `sequence - 6` and before this packet count, which are five.
      packet.announced = header.announcedTimestamp(in: octets.span, after: header.sequence &- 6)
      (packet.hasJournal, packet.length) = (cursor.journal != nil, octets.count)
      while let command = try cursor.next(in: octets.span) {
        if case .message(let message) = command { packet.messages.append(message) } else { packet.hasExclusive = true }
      }
      return packet
    } catch {
      fatalError("the sender has encoded a malformed packet: \(error)")
    }
  }
}

/// A message and the RTP time stamp of its packet.
struct StampedMessage: Equatable {
  var message: Message
  var timestamp: UInt32

  init(message: Message, timestamp: UInt32) { (self.message, self.timestamp) = (message, timestamp) }

  /// A message that takes effect at a tick of the standard schedule.
  init(_ message: Message, at tick: Int64) {
    let schedule = VirtualSender.schedule()
    self.init(message: message, timestamp: RTPHeader.timestamp(of: schedule.deadline(Tick(tick))))
  }

  /// The Clocks of these ticks of the standard schedule.
  static func clocks(_ ticks: Range<Int64>) -> [StampedMessage] { ticks.map { StampedMessage(.clock, at: $0) } }
}
