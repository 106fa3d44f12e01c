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

/// Tests of the messages that the clock loop sends between the ticks, and of the send instants of packets.
@Suite struct ClockLoopMessagesTests: ClockLoopSuite {
  /// Tutti peers get a message on the channel of the player, by which they recognise the player. Standard devices get the message on the
  /// channel on which it was played.
  @Test func messagesGoToTheirReceiversBetweenTicks() throws {
    try withLoop { loop, rings, _, open in
      let (standardDevice, tuttiPeer) = (try open(.playOnArrival), try open(.timeStamped))
      // The first step is passed to the sound 50 ms before the origin.
      rings.schedule.publish(VirtualRhythm.schedule(sends: false))
      loop.advance(to: VirtualRhythm.origin - .milliseconds(60))
      // The channel of the player is 2. The messages were played on channel 7.
      let messages = (60..<70).map { Message.noteOn(Channel(2)!, key: UInt7(clamping: $0), velocity: 100) }
      let asPlayed = messages.map { $0.on(Channel(7)!) }
      for message in messages { rings.messages.push(.stream(StreamMessage(message, at: nil, to: .tuttiPeers))) }
      for message in asPlayed { rings.messages.push(.stream(StreamMessage(message, at: nil, to: .standardDevices))) }
      // The deadline of the first step is only 200 us away, so the messages wait.
      let next = loop.advance(to: VirtualRhythm.origin - .microseconds(50_200))
      #expect(next == VirtualRhythm.origin - .milliseconds(50))
      #expect(rings.messages.count == 20)
      for receiver in [standardDevice, tuttiPeer] { #expect(try receive(receiver) == []) }
      loop.advance(to: VirtualRhythm.origin - .milliseconds(49))
      #expect(try receive(standardDevice).map(\.message) == asPlayed)
      #expect(try receive(tuttiPeer).map(\.message) == messages)
    }
  }

  /// Ten other messages wait when the local player plays a note. The note is sent first.
  @Test func messageOfThePlayerIsSentBeforeOtherMessages() throws {
    try withLoop { loop, rings, _, open in
      let tuttiPeer = try open(.timeStamped)
      loop.advance(to: VirtualRhythm.origin)
      let others = (60..<70).map { Message.controlChange(Channel(2)!, controller: 1, value: UInt7(clamping: $0)) }
      for message in others { rings.messages.push(.stream(StreamMessage(message, at: nil, to: .tuttiPeers))) }
      let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
      rings.playerMessages.push(StreamMessage(note, at: nil, to: .tuttiPeers))
      loop.advance(to: VirtualRhythm.origin)
      #expect(try receive(tuttiPeer).map(\.message) == [note] + others)
    }
  }

  /// The receivers get Start, ticks and Stop. The Tutti peer also gets a System Exclusive message. Packets to standard devices have
  /// no header extension, and therefore no send instant.
  @Test func packetsToATuttiPeerCarryTheSendInstant() throws {
    try withLoop { loop, rings, _, open in
      let (standardDevice, tuttiPeer) = (try open(.playOnArrival), try open(.timeStamped))
      rings.schedule.publish(VirtualRhythm.schedule(end: 5))
      let exclusive = try #require(SystemExclusiveData([0x7D, 1]))
      rings.commands.push(.stream(.exclusive(exclusive, to: nil, isJournalled: false)))
      let before = MonotonicClock.now
      loop.play(from: .milliseconds(-100), to: .milliseconds(200))
      // Start, five ticks and Stop are seven packets. Only the Tutti peer also gets the System Exclusive message.
      for (receiver, hasInstant, count) in [(standardDevice, false, 7), (tuttiPeer, true, 8)] {
        var room = [UInt8](repeating: 0, count: 256)
        var instants: [Instant] = []
        while let arrival = room.withUnsafeMutableBytes({ receiver.receive(into: $0.baseAddress!, room: 256) }) {
          let packet = Array(room.prefix(arrival.length))
          let sent = try RTPHeader.decode(packet.span).header.sendInstant(in: packet.span)
          // The first octet of the RTP header: version 2 (0x80), with the extension bit (0x10) or without it.
          #expect((sent != nil) == hasInstant && room[0] == (hasInstant ? 0x90 : 0x80))
          // `arrival.at` is converted from another clock of the kernel, with an error of some microseconds.
          if let sent { #expect(sent <= arrival.at + .microseconds(50)) }
          instants.append(sent ?? before)
        }
        #expect(instants.count == count && instants == instants.sorted() && instants[0] >= before)
        // All send instants differ. Without send instants, all elements are `before`.
        #expect(Set(instants).count == (hasInstant ? count : 1))
      }
    }
  }
}
