import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Testing
import Transports

@testable import Engine
@testable import Ensemble

/// What goes out between the ticks, and what their packets say.
@Suite struct ClockLoopMessagesTests: ClockLoopSuite {
  /// Nothing is near: all guard packets go at once. Something is: a slice goes before it, and what is left after it.
  @Test(arguments: [false, true]) func guardPacketsLetTheRhythmGoFirst(isNear: Bool) throws {
    try withLoop { loop, rings, _, open in
      let devices = try (0..<20).map { _ in try open(false) }
      rings.schedule.publish(VirtualRhythm.schedule(end: 1))
      _ = loop.obey()
      for session in loop.streams.sessions { rings.commands.push(.journal(session: session, true)) }
      _ = loop.obey()
      loop.play(from: .milliseconds(-100), to: .milliseconds(40))
      let before = loop.streams.sent
      #expect(before == 60, "Start, a tick and Stop")
      // The first step is handed to the sound at 150 ms, which the machine's clock has passed.
      if isNear {
        rings.schedule.publish(VirtualRhythm.schedule(run: 2, at: VirtualRhythm.origin + .milliseconds(200)))
      }
      var next = VirtualRhythm.origin + .milliseconds(50)
      var guards: [Int64] = []
      for _ in 0..<3 {
        let sent = loop.streams.sent
        next = loop.round(at: next)
        guards.append(loop.streams.sent - sent)
      }
      #expect(guards == (isNear ? [8, 8, 8] : [20, 20, 20]))
      var room = [UInt8](repeating: 0, count: 256)
      for device in devices {
        var packets = 0
        while room.withUnsafeMutableBytes({ device.receive(into: $0.baseAddress!, room: 256) }) != nil { packets += 1 }
        #expect(packets > 3, "the last are not left out for the first, which are due again")
      }
    }
  }

  /// To Tutti peers on this player's channel, to others as the instrument sent them.
  @Test func messagesGoToWhomTheyAreForBetweenTicks() throws {
    try withLoop { loop, rings, _, open in
      let devices = [try open(false), try open(true)]
      _ = loop.obey()
      let messages = (60..<70).map { Message.noteOn(Channel(2)!, key: UInt7(clamping: $0), velocity: 100) }
      let others = messages.map { $0.on(Channel(7)!) }
      for message in messages { rings.messages.push(.sessions(message, at: nil, to: .tutti)) }
      for message in others { rings.messages.push(.sessions(message, at: nil, to: .foreign)) }
      // A tick within 200 us: they wait.
      let isHurried = loop.pass(before: MonotonicClock.now + .microseconds(200))
      #expect(!isHurried)
      #expect(rings.messages.count == 20)
      for device in devices { #expect(try receive(device) == []) }
      while loop.pass(before: .distantFuture) {}
      #expect(try receive(devices[0]).map(\.message) == others)
      #expect(try receive(devices[1]).map(\.message) == messages)
    }
  }

  /// It gets what is played, and no clock, unless it turns out to be a Tutti peer.
  @Test(arguments: [false, true]) func whoGivesTheClockDoesNotGetItBack(isTutti: Bool) throws {
    try withLoop { loop, rings, _, _ in
      let receiver = try UDPSocket(port: 0)
      defer { receiver.close() }
      let (id, address) = (try session(), SocketAddress(host: 0x7F00_0001, port: receiver.port))
      rings.commands.push(.open(session: id, address: address, ssrc: 1, sequence: 0, takesClock: false))
      if isTutti { rings.commands.push(.recognise(session: id)) }
      rings.schedule.publish(VirtualRhythm.schedule())
      _ = loop.obey()
      loop.play(from: .milliseconds(-20), to: .milliseconds(70))
      rings.messages.push(
        .sessions(.noteOn(Channel(2)!, key: 60, velocity: 100), at: nil, to: isTutti ? .tutti : .foreign))
      _ = loop.pass(before: .distantFuture)
      rings.schedule.publish(VirtualRhythm.schedule(run: 2, sends: false))
      loop.play(from: .milliseconds(70), to: .milliseconds(200))
      let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
      #expect(
        try receive(receiver).map(\.message)
          == (isTutti ? [.start, .clock, .clock, .clock, .clock, note, .stop] : [note]))
    }
  }

  @Test func aStatementLeavesBeforeTheTicksItIsAbout() throws {
    try withLoop { loop, rings, _, open in
      let receivers = try (0..<20).map { _ in try open(true) }
      rings.schedule.publish(VirtualRhythm.schedule())
      rings.commands.push(.exclusive(try #require(ClockCommand.Exclusive([0x7D, 1])), session: nil))
      _ = loop.obey()
      _ = loop.round(at: VirtualRhythm.origin - .milliseconds(60))
      while loop.pass(before: .distantFuture) {}
      for receiver in receivers {
        var room = [UInt8](repeating: 0, count: 256)
        var commands: [UInt8] = []
        while let arrival = room.withUnsafeMutableBytes({ receiver.receive(into: $0.baseAddress!, room: 256) }) {
          let packet = Array(room.prefix(arrival.length))
          // Behind the header of the list.
          commands.append(packet[try RTPHeader.decode(packet.span).payload.start + 1])
        }
        #expect(commands == [0xFA, 0xF0, 0xF8, 0xF8])
      }
    }
  }

  /// Start, timeline message, ticks and Stop alike; to anybody else, what leaves is as it always was.
  @Test func whatGoesToATuttiPeerSaysWhenItLeft() throws {
    try withLoop { loop, rings, _, open in
      let (foreign, tutti) = (try open(false), try open(true))
      rings.schedule.publish(VirtualRhythm.schedule(end: 5))
      rings.commands.push(.exclusive(try #require(ClockCommand.Exclusive([0x7D, 1])), session: nil))
      _ = loop.obey()
      let before = MonotonicClock.now
      loop.play(from: .milliseconds(-100), to: .milliseconds(200))
      for (receiver, says, count) in [(foreign, false, 7), (tutti, true, 8)] {
        var room = [UInt8](repeating: 0, count: 256)
        var instants: [Instant] = []
        while let arrival = room.withUnsafeMutableBytes({ receiver.receive(into: $0.baseAddress!, room: 256) }) {
          let packet = Array(room.prefix(arrival.length))
          let sent = try RTPHeader.decode(packet.span).header.sendInstant(in: packet.span)
          #expect((sent != nil) == says && room[0] == (says ? 0x90 : 0x80))
          // The kernel's stamp is of another clock, put right to some microseconds.
          if let sent { #expect(sent <= arrival.at + .microseconds(50)) }
          instants.append(sent ?? before)
        }
        #expect(instants.count == count && instants == instants.sorted() && instants[0] >= before)
        #expect(Set(instants).count == (says ? count : 1))
      }
    }
  }
}
