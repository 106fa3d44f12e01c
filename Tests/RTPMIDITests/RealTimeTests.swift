import BasicContainers
import CAllocationCount
import MIDI
import MusicalTime
import RTPMIDI
import Testing

/// What the clock and network threads do, in functions that may neither allocate nor lock. That this file compiles in a
/// debug build is the proof; the test only sees that it does something.
@Suite struct RealTimeTests {
  @_noLocks @_noAllocation
  private static func sendTick(
    _ sender: inout PacketSender, _ timeline: borrowing RigidArray<UInt8>, at instant: Instant,
    into packet: inout RigidArray<UInt8>
  ) -> Bool {
    packet.removeAll()
    guard sender.encode(.clock, at: instant, into: &packet) else { return false }
    packet.removeAll()
    guard let sent = sender.encode(systemExclusive: timeline, at: instant, into: &packet) else { return false }
    return sent == timeline.count
  }

  /// A stream with a journal, from its beginning: what the clock thread does with one.
  @_noLocks @_noAllocation
  private static func sendJournal(
    _ sender: inout PacketSender, _ message: Message, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    sender.restart(ssrc: 5, sequence: 9)
    sender.sendsJournal = true
    sender.usesEnhancedControllers = true
    packet.removeAll()
    guard sender.encode(message, at: instant, into: &packet) else { return false }
    packet.removeAll()
    guard sender.hasUnacknowledged, sender.encodeGuard(at: instant, into: &packet) else { return false }
    sender.acknowledge(9)
    return !sender.hasUnacknowledged && sender.discarded == 0
  }

  @_noLocks @_noAllocation
  private static func receive(
    _ receiver: inout PacketReceiver, _ packet: Span<UInt8>, at instant: Instant
  ) -> Int {
    var octets = 0
    do {
      try receiver.open(packet, near: instant)
      while let event = receiver.next(in: packet) {
        switch event {
        case .message(let message, _), .recovered(let message, _): if message.isRealTime { octets += 1 }
        case .systemExclusive:
          for index in 0..<receiver.systemExclusiveCount where receiver.systemExclusive(at: index) < 128 { octets += 1 }
        }
      }
    } catch {
      return -1
    }
    return octets
  }

  @_noLocks @_noAllocation
  private static func answer(
    _ datagram: borrowing RigidArray<UInt8>, ssrc: UInt32, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    packet.removeAll()
    if let clock = ClockPacket(datagram), let reply = clock.reply(from: ssrc, sentAt: instant) {
      return reply.append(to: &packet)
    }
    return false
  }

  @_noLocks @_noAllocation
  private static func parse(_ parser: inout StreamParser, _ byte: UInt8) -> Int {
    let output = parser.feed(byte)
    if output.finishedSystemExclusive { return parser.systemExclusive.count }
    if let message = output.message { return message.bytes.count }
    return 0
  }

  @Test func theThreadsWork() throws {
    var packet = RigidArray<UInt8>(capacity: 100)
    var sender = PacketSender(ssrc: 3, sequence: 1)
    let timeline: [UInt8] = [0x7D, 1, 2]
    let now = Instant(nanoseconds: 1_000_000_000)
    var journalled = PacketSender(ssrc: 4, sequence: 1)
    let isTold = Self.sendJournal(&journalled, .noteOn(Channel(1)!, key: 60, velocity: 1), at: now, into: &packet)
    #expect(isTold && packet.count == 12 + 1 + 3 + 3 + 4)
    #expect(Self.sendTick(&sender, rigid(timeline), at: now, into: &packet))
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 8)
    #expect(Self.receive(&receiver, packet.span, at: now) == 3)
    let question = try #require(encoded { ClockPacket(ssrc: 3, sentAt: now).append(to: &$0) })
    #expect(Self.answer(rigid(question), ssrc: 4, at: now, into: &packet) && packet.count == ClockPacket.length)
    var parser = StreamParser(systemExclusiveCapacity: 8)
    var found = 0
    for byte in [0xF0, 0x7D, 0xF8, 1, 0xF7, 0x90, 60, 1] as [UInt8] { found += Self.parse(&parser, byte) }
    #expect(found == 1 + 2 + 3)
  }

  /// The compiler's proof again, at run time: packets with all kinds of journals, every fifth lost.
  @Test func receivingAllocatesNothing() {
    var sender = PacketSender(ssrc: 3, sequence: 65_500)
    sender.sendsJournal = true
    let now = Instant(nanoseconds: 1_000_000_000)
    var packets: [[UInt8]] = []
    for command in RandomCommands(count: 1000, seed: 1).commands {
      switch command {
      case .message(let message): packets.append(octets { _ = sender.encode(message, at: now, into: &$0) })
      case .exclusive(let data, _):
        packets.append(octets { _ = sender.encode(systemExclusive: rigid(data), at: now, into: &$0) })
      }
      if packets.count % 64 == 0 { sender.acknowledge(sender.sequence &- 8) }
    }
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 512)
    var refused = 0
    // The first packets may still let the runtime make a generic type's description.
    for index in packets.indices where index % 5 != 3 {
      if index == 100 { allocation_count_begin() }
      let packet = packets[index]
      if Self.receive(&receiver, packet.span, at: now) < 0 { refused += 1 }
    }
    let allocations = allocation_count_end()
    #expect(allocations == 0)
    #expect(refused == 0 && receiver.statistics.repairs > 150 && receiver.statistics.recovered > 150)
  }
}
