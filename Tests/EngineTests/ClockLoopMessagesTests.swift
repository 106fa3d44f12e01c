import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Sending
import Testing
import Transports

@testable import Engine
@testable import Ensemble

/// What goes out between the ticks, and what their packets say.
@Suite struct ClockLoopMessagesTests: ClockLoopSuite {
  /// To Tutti peers on this player's channel, to others as the instrument sent them.
  @Test func messagesGoToWhomTheyAreForBetweenTicks() throws {
    try withLoop { loop, rings, _, open in
      let devices = [try open(false), try open(true)]
      // The first step is due 50 ms before the origin.
      rings.schedule.publish(VirtualRhythm.schedule(sends: false))
      loop.advance(to: VirtualRhythm.origin - .milliseconds(60))
      let messages = (60..<70).map { Message.noteOn(Channel(2)!, key: UInt7(clamping: $0), velocity: 100) }
      let others = messages.map { $0.on(Channel(7)!) }
      for message in messages { rings.messages.push(.stream(StreamMessage(message, at: nil, to: .tuttiPeers))) }
      for message in others { rings.messages.push(.stream(StreamMessage(message, at: nil, to: .standardDevices))) }
      // A deadline within 200 us: the messages wait.
      let next = loop.advance(to: VirtualRhythm.origin - .microseconds(50_200))
      #expect(next == VirtualRhythm.origin - .milliseconds(50))
      #expect(rings.messages.count == 20)
      for device in devices { #expect(try receive(device) == []) }
      loop.advance(to: VirtualRhythm.origin - .milliseconds(49))
      #expect(try receive(devices[0]).map(\.message) == others)
      #expect(try receive(devices[1]).map(\.message) == messages)
    }
  }

  /// Start, timeline message, ticks and Stop alike; to anybody else, what leaves is as it always was.
  @Test func whatGoesToATuttiPeerSaysWhenItLeft() throws {
    try withLoop { loop, rings, _, open in
      let (foreign, tutti) = (try open(false), try open(true))
      rings.schedule.publish(VirtualRhythm.schedule(end: 5))
      let exclusive = try #require(SystemExclusiveData([0x7D, 1]))
      rings.commands.push(.stream(.exclusive(exclusive, to: nil, isJournalled: false)))
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
