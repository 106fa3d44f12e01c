import MIDI
import MusicalTime
import Seeds
import Testing

@testable import RTPMIDI

/// 100 000 mutated packets with journals.
@Suite struct HostileJournalTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  private func packets(seed: UInt64) -> [[UInt8]] {
    var sender = PacketSender(ssrc: 3, sequence: 65_500)
    sender.sendsJournal = true
    var packets: [[UInt8]] = []
    for case .message(let message) in Performance(count: 40, seed: seed).actions {
      packets.append(octets { _ = sender.encode(message, at: now, into: &$0) })
    }
    return packets
  }

  private func mutate(_ packet: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var packet = packet
    for _ in 0..<random.integer(in: 1...3) {
      packet[Int(random.integer(in: 0...Int64(packet.count - 1)))] = UInt8(random.integer(in: 0...255))
    }
    switch random.integer(in: 0...4) {
    case 0: packet.removeLast(Int(random.integer(in: 0...Int64(packet.count))))
    case 1: for _ in 0..<random.integer(in: 1...40) { packet.append(UInt8(random.integer(in: 0...255))) }
    default: break
    }
    return packet
  }

  /// The events of `packet`, or the error it brought.
  private func events(
    _ receiver: inout PacketReceiver, _ packet: [UInt8]
  ) -> Result<[PacketReceiver.Event], PacketError> {
    do {
      try receiver.open(packet.span, near: now)
      var events: [PacketReceiver.Event] = []
      while let event = receiver.next(in: packet.span) { events.append(event) }
      return .success(events)
    } catch {
      if receiver.next(in: packet.span) != nil { Issue.record("events of a packet refused") }
      return .failure(error)
    }
  }

  /// A malformed packet changes nothing: after as many as may come, each packet, and every third is lost, brings what it
  /// brings to a receiver that has had none of them.
  @Test(arguments: UInt64(1)...20) func whatIsMalformedChangesNothing(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var attacked = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 64)
    var spared = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 64)
    var malformed = 0
    let packets = packets(seed: seed)
    for (index, packet) in packets.enumerated() {
      for _ in 0..<5000 / packets.count + 1 {
        let forged = mutate(packet, &random)
        // Only what a receiver that knows nothing calls malformed is given to this one.
        var stranger = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 64)
        guard case .failure(let error) = events(&stranger, forged) else { continue }
        malformed += 1
        if events(&attacked, forged) != .failure(error) { Issue.record("seed \(seed): \(error) was taken") }
      }
      if index % 3 == 2 { continue }
      let expected = events(&spared, packet)
      if events(&attacked, packet) != expected { Issue.record("seed \(seed): packet \(index) was changed") }
    }
    var statistics = attacked.statistics
    #expect(statistics.malformed > 100 && statistics.malformedJournals > 500 && malformed > 2000)
    (statistics.malformed, statistics.malformedJournals) = (0, 0)
    #expect(statistics == spared.statistics && statistics.repairs > 5, "seed \(seed)")
  }

  /// Whatever is well formed may be believed, but not without bound.
  @Test(arguments: UInt64(1)...10) func nothingTrapsAndNoPacketFloods(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 64)
    var most = 0
    let packets = packets(seed: seed)
    for count in 0..<5000 {
      var forged = mutate(packets.randomElement(using: &random)!, &random)
      // A number that leaves others out.
      let sequence = UInt16(truncatingIfNeeded: 2 * count)
      if forged.count > 3 { (forged[2], forged[3]) = (UInt8(sequence >> 8), UInt8(sequence & 0xFF)) }
      if case .success(let events) = events(&receiver, forged) { most = max(most, events.count) }
    }
    #expect(receiver.statistics.repairs > 500 && receiver.statistics.recovered > 500)
    #expect(most < 30_000, "seed \(seed)")
  }

  /// A log of five octets may ask for 16383 steps; a packet of such is cut off.
  @Test func aPacketOfStepsIsBounded() {
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 0)
    var chapter: [UInt8] = []
    for number in 0..<100 as Range<UInt8> { chapter += [number, 0, 0x22, 0x3F, 0xFF] }
    let length = 2 + chapter.count
    chapter = [UInt8(0x20 | length >> 8), UInt8(truncatingIfNeeded: length)] + chapter
    let journal = [
      0, UInt8(truncatingIfNeeded: (3 + chapter.count) >> 8), UInt8(truncatingIfNeeded: 3 + chapter.count),
    ]
    let packet =
      hex("80 61 00 01 00 00 00 02 00 00 00 03 40 20 00 01") + [journal[1], journal[2], 0x20] + chapter
    guard case .success(let events) = events(&receiver, packet) else {
      Issue.record("malformed")
      return
    }
    #expect(events.count > 16383 && events.count < 16383 + 4096)
  }
}
