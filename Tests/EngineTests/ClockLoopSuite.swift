import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Sending
import Transports

@testable import Engine

/// A message that a receiver got, with the time stamp of its packet.
struct ReceivedMessage: Equatable {
  var message: Message
  var stamp: UInt32
}

/// How a receiver uses the ticks.
enum ReceiverKind {
  /// A standard device that plays each tick on its arrival.
  case playOnArrival
  /// A Tutti peer that plays each tick at its time stamp.
  case timeStamped
}

/// A suite of tests of the clock loop on virtual time. Real sockets on the loopback interface receive the packets.
protocol ClockLoopSuite {}

extension ClockLoopSuite {
  /// Removes and returns the messages that have arrived at `socket`.
  func receive(_ socket: UDPSocket) throws -> [ReceivedMessage] {
    var messages: [ReceivedMessage] = []
    var room = [UInt8](repeating: 0, count: 256)
    while let arrival = room.withUnsafeMutableBytes({ socket.receive(into: $0.baseAddress!, room: 256) }) {
      let packet = Array(room.prefix(arrival.length))
      let (header, payload) = try RTPHeader.decode(packet.span)
      var cursor = try CommandCursor(packet.span, payload: payload)
      while let command = try cursor.next(in: packet.span) {
        if case .message(let message) = command {
          messages.append(ReceivedMessage(message: message, stamp: header.timestamp))
        }
      }
    }
    return messages
  }

  /// Calls `body` with a clock loop, its rings and its socket. The parameter `open` of `body` opens a stream to a new
  /// receiver and returns the socket of the receiver.
  func withLoop(
    _ body: (inout ClockLoop, ClockRings, UDPSocket, _ open: (ReceiverKind) throws -> UDPSocket) throws -> Void
  ) throws {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    var receivers: [UDPSocket] = []
    defer {
      socket.close()
      for receiver in receivers { receiver.close() }
    }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    var ids = StreamIDAllocator()
    try body(&loop, rings, socket) { kind in
      let receiver = try UDPSocket(port: 0)
      receivers.append(receiver)
      let id = ids.allocate()
      let address = SocketAddress(host: 0x7F00_0001, port: receiver.port)
      rings.commands.push(.stream(.open(id, to: address, ssrc: 1, sequence: 0, takesClock: true)))
      if kind == .timeStamped {
        rings.commands.push(.stream(.recognise(id)))
        rings.commands.push(.stream(.setTimeStamped(id, true)))
      }
      return receiver
    }
  }

  /// A Timing Clock message for each of `ticks`, with the time stamp of its due time.
  func clocks(_ ticks: Range<Int64>) -> [ReceivedMessage] {
    let schedule = VirtualRhythm.schedule()
    return ticks.map { ReceivedMessage(message: .clock, stamp: RTPHeader.timestamp(of: schedule.deadline(Tick($0)))) }
  }

  /// `message` with the time stamp of the due time of `tick`.
  func stamped(_ message: Message, at tick: Int64) -> ReceivedMessage {
    ReceivedMessage(message: message, stamp: RTPHeader.timestamp(of: VirtualRhythm.schedule().deadline(Tick(tick))))
  }
}
