import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Damaged packets with journals, and journals that cause much output.
@Suite struct HostileJournalTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// Opens `packet`. Returns its events, or the error of `open`.
  private func events(
    _ receiver: inout PacketReceiver, _ packet: [UInt8]
  ) -> Result<[PacketReceiver.Event], PacketError> {
    do {
      try receiver.open(packet.span, near: now)
      var events: [PacketReceiver.Event] = []
      while let event = receiver.next(in: packet.span) { events.append(event) }
      return .success(events)
    } catch {
      if receiver.next(in: packet.span) != nil { Issue.record("a rejected packet has events") }
      return .failure(error)
    }
  }

  /// A rejected packet changes no state. The attacked receiver gets such packets before each valid packet, and the reference
  /// receiver gets none. Every third valid packet is lost. Each other valid packet causes the same events in both receivers.
  @Test(arguments: UInt64(1)...20) func rejectedPacketChangesNoState(seed: UInt64) {
    var mutator = Mutator(seed: seed)
    var attacked = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: 64)
    var reference = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: 64)
    var rejected = 0
    let packets = HostilePackets(seed: seed, count: 100).valid
    for (index, packet) in packets.enumerated() {
      for _ in 0..<60 {
        var forged = packet
        for _ in 0..<1 + index % 3 { mutator.mutate(&forged, splicing: packets[packets.count - 1 - index]) }
        // Only packets that a new receiver rejects are passed to the attacked receiver.
        var fresh = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: 64)
        guard case .failure(let error) = events(&fresh, forged) else { continue }
        rejected += 1
        if events(&attacked, forged) != .failure(error) { Issue.record("seed \(seed): not rejected with \(error)") }
      }
      if index % 3 == 2 { continue }
      let expected = events(&reference, packet)
      if events(&attacked, packet) != expected {
        Issue.record("seed \(seed): packet \(index) causes other events than without rejected packets")
      }
    }
    let statistics = attacked.statistics
    // The lower limits show that damage and repairs have occurred.
    #expect(rejected > 500)
    #expect(statistics == reference.statistics && statistics.repairs > 5, "seed \(seed)")
  }

  /// A damaged but well-formed journal may be applied, but its output is bounded. ``PacketFuzzer`` checks the number of events of each
  /// packet and throws if it is too large.
  @Test(arguments: UInt64(1)...10) func damagedPacketsCauseBoundedOutput(seed: UInt64) throws {
    let fuzzer = PacketFuzzer(seed: seed, count: 256)
    try fuzzer.run(inputs: 5000)
    let statistics = fuzzer.statistics
    // The lower limits show that some damaged journals were applied and others ignored.
    #expect(statistics.repairs > 100 && statistics.recovered > 100, "seed \(seed)")
    #expect(statistics.malformed > 100 && statistics.malformedJournals > 1000, "seed \(seed)")
  }

  /// A log of Chapter M has five octets and can cause 16383 increments. The output of a packet with a hundred such logs ends at
  /// the limit of 4096 messages.
  @Test func packetOfIncrementsCausesBoundedOutput() {
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 0)
    var logs: [UInt8] = []
    // PNUM-LSB, PNUM-MSB, the flags L and V, and A-BUTTON 16383.
    for number in 0..<100 as Range<UInt8> { logs += [number, 0, 0x22, 0x3F, 0xFF] }
    // The header of Chapter M: E and LENGTH.
    let chapterLength = 2 + logs.count
    let chapter = [UInt8(0x20 | chapterLength >> 8), UInt8(truncatingIfNeeded: chapterLength)] + logs
    // The header of the channel journal: channel 1, LENGTH, Chapter M.
    let journalLength = 3 + chapter.count
    let journal =
      [UInt8(truncatingIfNeeded: journalLength >> 8), UInt8(truncatingIfNeeded: journalLength), 0x20] + chapter
    // The RTP header, a command section without commands (J), and the header of the recovery journal (A, checkpoint 1).
    let packet = hex("80 61 00 01 00 00 00 02 00 00 00 03 40 20 00 01") + journal
    guard case .success(let events) = events(&receiver, packet) else {
      Issue.record("the packet is rejected")
      return
    }
    #expect(events.count == 4096)
  }

  /// A journal of three octets that does not cover a loss ends all notes that are on. Here, all 2048 notes are on, each with a reference
  /// count of 127. The output is bounded, and afterwards no note is on.
  @Test func journalThatDoesNotCoverTheLossEndsAnyNumberOfNotes() throws {
    var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 0)
    /// A packet with this sequence number. `section` contains the command section and, after it, the journal, if there is one.
    func packet(_ sequence: UInt16, _ section: [UInt8]) -> [UInt8] {
      hex("80 61") + [UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)] + hex("00 00 00 02 00 00 00 03")
        + section
    }
    var sequence: UInt16 = 0
    for channel in 0..<16 as Range<UInt8> {
      for _ in 0..<127 {
        // 128 Note Ons with running status and delta times of 0: the long header (B), then 90 KK 40, 00 KK 40...
        var list: [UInt8] = [0x90 | channel]
        for key in 0..<128 as Range<UInt8> { list += key == 0 ? [key, 0x40] : [0, key, 0x40] }
        let header = [0x80 | UInt8(list.count >> 8), UInt8(truncatingIfNeeded: list.count)]
        _ = try events(&receiver, packet(sequence, header + list)).get()
        sequence += 1
      }
    }
    // After a loss, a journal without logs. Its checkpoint is after the lost packet.
    let checkpoint = sequence + 1
    let journal: [UInt8] = [0x00, UInt8(checkpoint >> 8), UInt8(truncatingIfNeeded: checkpoint)]
    let ends = try events(&receiver, packet(sequence + 1, [0x40] + journal)).get()
    // From the limit of 4096 messages on, one All Notes Off (123) ends the remaining notes of each channel.
    #expect(ends.count > 4000 && ends.count <= 4096 + 16)
    var notes = Array(repeating: 127, count: 2048)
    for case .recovered(let message, _) in ends {
      switch message {
      case .noteOff(let channel, let key, _): notes[Int(channel.wire) * 128 + Int(key.value)] -= 1
      case .controlChange(let channel, let controller, _) where controller.value == 123:
        for key in 0..<128 { notes[Int(channel.wire) * 128 + key] = 0 }
      default: Issue.record("\(message)")
      }
    }
    #expect(notes.allSatisfy { $0 == 0 })
    // The journal covers the next loss, so the repair changes nothing.
    #expect(try events(&receiver, packet(sequence + 3, [0x40] + journal)).get().isEmpty)
  }
}
