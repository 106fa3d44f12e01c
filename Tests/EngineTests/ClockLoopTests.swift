import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Sending
import Testing
import Transports

@testable import Engine
@testable import Ensemble

/// Tests that the ticks of a rhythm reach receivers through the socket. The tests of the module Sending test the sender without a
/// socket.
@Suite struct ClockLoopTests: ClockLoopSuite {
  @Test func ticksReachBothKindsOfReceiversThroughTheSocket() throws {
    try withLoop { loop, rings, _, open in
      let playOnArrival = try open(.playOnArrival)
      let timeStamped = try open(.timeStamped)
      rings.schedule.publish(VirtualRhythm.schedule(end: 50))
      // The time-stamp receiver gets tick 0 at -90 ms, and Start 5 ms earlier.
      loop.play(from: .milliseconds(-100), to: .milliseconds(-95))
      #expect(try receive(timeStamped) == [stamped(.start, at: 0)])
      #expect(try receive(playOnArrival) == [])
      loop.play(from: .milliseconds(-95), to: .milliseconds(5))
      // The time-stamp receiver gets ticks 90 ms ahead: at 5 ms it has ticks 0...4, of which the last is due at 80 ms. The
      // play-on-arrival receiver gets tick 0 at its due time, and Start 10 ms earlier.
      #expect(try receive(timeStamped) == clocks(0..<5))
      #expect(try receive(playOnArrival) == [stamped(.start, at: 0)] + clocks(0..<1))
      loop.play(from: .milliseconds(5), to: .milliseconds(2000))
      #expect(try receive(timeStamped) == clocks(5..<50) + [stamped(.stop, at: 50)])
      #expect(try receive(playOnArrival) == clocks(1..<50) + [stamped(.stop, at: 50)])
    }
  }

  /// The record of a tick contains the instants of its packets: when the first packet with this tick left for any play-on-arrival
  /// receiver (`sent`), and for any time-stamp receiver (`sentAhead`). `acted` is when the clock loop began with the tick.
  @Test func recordsHaveTheInstantsOfThePackets() throws {
    try withLoop { loop, rings, _, open in
      let start = MonotonicClock.now
      _ = (try open(.playOnArrival), try open(.timeStamped), try open(.playOnArrival))
      rings.schedule.publish(VirtualRhythm.schedule())
      loop.play(from: .milliseconds(-110), to: .milliseconds(995))
      var ticks: [Tick] = []
      while let record = rings.ticks.pop() {
        // `sent`, `sentAhead` and `acted` are read from the clock of the machine. `due` and `woken` (when the loop found the tick due) are
        // instants of the virtual time.
        let (sent, sentAhead) = (try #require(record.sent), try #require(record.sentAhead))
        #expect(start < sentAhead && sentAhead < record.acted && record.acted <= sent && sent <= MonotonicClock.now)
        #expect(record.woken >= record.due && record.woken - record.due < .milliseconds(1))
        ticks.append(record.tick)
      }
      #expect(ticks.count > 40 && ticks == ticks.indices.map { Tick(Int64($0)) })
    }
  }

  /// Without receivers, the records of the ticks contain no send instants.
  @Test func recordsWithoutReceiversHaveNoDeparture() throws {
    try withLoop { loop, rings, _, _ in
      rings.schedule.publish(VirtualRhythm.schedule(end: 10))
      loop.play(from: .milliseconds(-110), to: .milliseconds(500))
      let first = try #require(rings.ticks.pop())
      #expect(first.sent == nil && first.sentAhead == nil && rings.ticks.count == 9)
    }
  }

  /// Four thousand commands wait when tick 0 is due. The tick does not wait for them.
  @Test func commandsDoNotDelayATick() throws {
    try withLoop { loop, rings, _, _ in
      rings.schedule.publish(VirtualRhythm.schedule())
      loop.advance(to: VirtualRhythm.origin - .milliseconds(1))
      let commands = 4000
      for _ in 0..<commands { rings.commands.push(.subscribed(SequencerAddress(client: 250, port: 0))) }
      // One call of `execute` executes at most `slice` commands, and returns false only after the command to quit. The loop sends the tick
      // before it executes the remaining commands.
      let continues = loop.execute()
      #expect(continues)
      // `step` returns nil until nothing more is due, and then the next deadline.
      while loop.step(at: VirtualRhythm.origin) == nil {}
      #expect(rings.ticks.pop()?.tick == Tick(0) && rings.commands.count >= commands - ClockLoop.slice)
      loop.advance(to: VirtualRhythm.origin)
      #expect(rings.commands.count == 0)
    }
  }

  /// The remote peer knows the local peer as 127.0.0.2. Without an explicit source address, the kernel would send from
  /// 127.0.0.1.
  @Test func packetsLeaveFromTheLocalAddressOfTheSession() throws {
    try withLoop { loop, rings, socket, _ in
      let receiver = try UDPSocket(port: 0)
      defer { receiver.close() }
      let address = SocketAddress(host: 0x7F00_0001, port: receiver.port)
      let local = SocketAddress(host: 0x7F00_0002, port: socket.port)
      var ids = StreamIDAllocator()
      rings.commands.push(
        .stream(.open(ids.allocate(), to: address, from: local, ssrc: 1, sequence: 0, takesClock: true)))
      rings.schedule.publish(VirtualRhythm.schedule(end: 2))
      loop.play(from: .milliseconds(-20), to: .milliseconds(60))
      var room = [UInt8](repeating: 0, count: 256)
      // Start, two ticks and Stop.
      for _ in 0..<4 {
        let arrival = room.withUnsafeMutableBytes { receiver.receive(into: $0.baseAddress!, room: 256) }
        #expect(arrival?.from == local)
      }
    }
  }
}
