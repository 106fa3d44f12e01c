import BasicContainers
import CAllocationCount
import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// The operations of the clock and network threads, in functions that may neither allocate nor lock. The debug build proves this,
/// because it compiles this file only if the annotations hold. One test checks the results of the functions, and one test counts
/// allocations at run time.
@Suite struct RealTimeTests {
  /// Encodes a Clock, and then the System Exclusive `timeline` in place of the Clock. Returns whether both were encoded completely.
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

  /// Restarts a stream with a journal, encodes `message` and a guard packet, and acknowledges `message`. Returns whether the
  /// sender then has no unacknowledged command.
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

  /// Opens `packet` and reads its events. Returns the number of real-time messages and System Exclusive octets; -1 if the packet
  /// is rejected.
  @_noLocks @_noAllocation
  private static func receive(
    _ receiver: inout PacketReceiver, _ packet: Span<UInt8>, at instant: Instant
  ) -> Int {
    var count = 0
    do {
      try receiver.open(packet, near: instant)
      while let event = receiver.next(in: packet) {
        switch event {
        case .message(let message, _), .recovered(let message, _): if message.isRealTime { count += 1 }
        case .systemExclusive:
          for index in 0..<receiver.systemExclusiveCount where receiver.systemExclusive(at: index) < 128 { count += 1 }
        }
      }
    } catch {
      return -1
    }
    return count
  }

  /// Encodes the reply to a clock packet. Returns false if `datagram` is no clock packet that has a reply.
  @_noLocks @_noAllocation
  private static func answer(
    _ datagram: borrowing Span<UInt8>, ssrc: UInt32, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    packet.removeAll()
    if let clock = ClockPacket(datagram), let reply = clock.reply(from: ssrc, sentAt: instant) {
      return reply.append(to: &packet)
    }
    return false
  }

  @Test func realTimeFunctionsReturnTheExpectedResults() throws {
    var packet = RigidArray<UInt8>(capacity: 100)
    var sender = PacketSender(ssrc: 3, sequence: 1)
    let timeline: [UInt8] = [0x7D, 1, 2]
    let now = Instant(nanoseconds: 1_000_000_000)
    var journalled = PacketSender(ssrc: 4, sequence: 1)
    let isAcknowledged = Self.sendJournal(
      &journalled, .noteOn(Channel(1)!, key: 60, velocity: 1), at: now, into: &packet)
    // The guard packet: the headers of RTP (12 octets), command section (1), recovery journal (3) and channel journal (3), and a
    // Chapter N with one log (4).
    #expect(isAcknowledged && packet.count == 12 + 1 + 3 + 3 + 4)
    #expect(Self.sendTick(&sender, rigid(timeline), at: now, into: &packet))
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 8)
    #expect(Self.receive(&receiver, packet.span, at: now) == 3, "the data octets of the System Exclusive")
    let request = try #require(encoded { ClockPacket(ssrc: 3, sentAt: now).append(to: &$0) })
    #expect(Self.answer(request.span, ssrc: 4, at: now, into: &packet) && packet.count == ClockPacket.length)
  }

  /// Every packet has a journal, and the journals contain commands of all kinds. Every fifth packet is lost. The sequence numbers wrap
  /// from 65 535 to 0 after 36 packets.
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
      // Every 64 packets, late feedback acknowledges all packets except the newest seven. `sequence` is the number of the next packet.
      if packets.count % 64 == 0 { sender.acknowledge(sender.sequence &- 8) }
    }
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 512)
    var rejected = 0
    // Counting begins with packet 100, because the Swift runtime allocates type metadata at first use.
    for index in packets.indices where index % 5 != 3 {
      if index == 100 { allocation_count_begin() }
      let packet = packets[index]
      if Self.receive(&receiver, packet.span, at: now) < 0 { rejected += 1 }
    }
    let allocations = allocation_count_end()
    #expect(allocations == 0)
    // About 200 packets are lost. The limits show that most losses were repaired.
    #expect(rejected == 0 && receiver.statistics.repairs > 150 && receiver.statistics.recovered > 150)
  }
}
