import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Damaged packets with journals.
@Suite struct HostileJournalTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// The events of `packet`, or the error that it caused.
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

  /// A malformed packet changes no state: after any number of malformed packets, each packet, with every third one
  /// lost, causes the same events as in a receiver that received no malformed packets.
  @Test(arguments: UInt64(1)...20) func malformedPacketChangesNoState(seed: UInt64) {
    var mutator = Mutator(seed: seed)
    var attacked = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: 64)
    var spared = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: 64)
    var malformed = 0
    let packets = HostilePackets(seed: seed, count: 100).valid
    for (index, packet) in packets.enumerated() {
      for _ in 0..<60 {
        var forged = packet
        for _ in 0..<1 + index % 3 { mutator.mutate(&forged, splicing: packets[packets.count - 1 - index]) }
        // Only packets that are malformed for a new receiver are passed to this one.
        var stranger = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: 64)
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

  /// A damaged but well-formed journal may be applied, but its output is bounded.
  @Test(arguments: UInt64(1)...10) func damagedPacketsCauseBoundedOutput(seed: UInt64) throws {
    let fuzzer = PacketFuzzer(seed: seed, count: 256)
    try fuzzer.run(inputs: 5000)
    let statistics = fuzzer.statistics
    #expect(statistics.repairs > 500 && statistics.recovered > 500, "seed \(seed)")
    #expect(statistics.malformed > 100 && statistics.malformedJournals > 1000, "seed \(seed)")
  }

  /// A log of five octets can cause 16383 increments; the output of a packet with many of them is cut.
  @Test func packetOfIncrementsCausesBoundedOutput() {
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
