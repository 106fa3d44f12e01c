import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// The order of packets, time stamps, System Exclusives and damaged packets of one stream. `RepairTests` tests the repair of
/// losses from journals. ``SequenceWindow`` explains the rules for sequence numbers.
@Suite struct PacketReceiverTests {
  private let channel = Channel(1)!

  /// A packet without a journal. `list` is the command list in hexadecimal; the header of the command section has the long
  /// form (B = 1).
  private func packet(_ sequence: UInt16, stamp: UInt32 = 10, ssrc: UInt32 = 3, _ list: String) -> [UInt8] {
    let payload = hex(list)
    func bigEndian(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    let header =
      [0x80, 0x61, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)] + bigEndian(stamp) + bigEndian(ssrc)
    return header + [0x80, UInt8(payload.count)] + payload
  }

  /// Opens `packet`. Returns its events, or the error of `open`.
  private func events(
    _ receiver: inout PacketReceiver, _ packet: [UInt8], near reference: Instant = Instant(nanoseconds: 0)
  ) -> Result<[PacketReceiver.Event], PacketError> {
    do {
      try receiver.open(packet.span, near: reference)
      var events: [PacketReceiver.Event] = []
      while let event = receiver.next(in: packet.span) { events.append(event) }
      return .success(events)
    } catch {
      return .failure(error)
    }
  }

  /// The messages of `packet`; nil if the packet is rejected.
  private func messages(_ receiver: inout PacketReceiver, _ packet: [UInt8]) -> [Message]? {
    try? events(&receiver, packet).get().compactMap { if case .message(let message, _) = $0 { message } else { nil } }
  }

  /// A receiver for System Exclusives of up to eight data octets.
  private func receiver() -> PacketReceiver { PacketReceiver(ssrc: 3, systemExclusiveCapacity: 8) }

  @Test func lossReorderingAndDuplicatesAreDistinguished() {
    var receiver = receiver()
    #expect(receiver.highestSequence == nil)
    #expect(messages(&receiver, packet(65_534, "F8")) == [.clock])
    #expect(messages(&receiver, packet(65_534, "F8")) == nil)
    #expect(messages(&receiver, packet(1, "F8")) == [.clock], "65535 and 0 are missing")
    #expect(receiver.statistics.lost == 2 && receiver.statistics.duplicates == 1)
    #expect(messages(&receiver, packet(0, "F8")) == [.clock])
    #expect(messages(&receiver, packet(0, "F8")) == nil)
    #expect(receiver.statistics.lost == 1 && receiver.statistics.reordered == 1)
    #expect(receiver.highestSequence == 1)
    #expect(
      events(&receiver, packet(65_533, "F8")) == .failure(.duplicate), "the number before the first packet, 65534")
    #expect(messages(&receiver, packet(66, "F8")) == [.clock])
    #expect(messages(&receiver, packet(3, "F8")) == [.clock], "63 behind the highest: within the window")
    #expect(events(&receiver, packet(2, "F8")) == .failure(.outOfWindow), "64 behind the highest")
    #expect(events(&receiver, packet(67, ssrc: 4, "F8")) == .failure(.otherSource))
    #expect(receiver.statistics.received == 5 && receiver.statistics.outOfWindow == 1)
  }

  @Test func forwardJumpIsAcceptedWhenTheNextPacketFollowsIt() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(0, "F8")) == [.clock])
    #expect(messages(&receiver, packet(512, "F8")) == [.clock], "a step of 512 needs no confirmation")
    #expect(events(&receiver, packet(20_000, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(513, "F8")) == [.clock], "one forged number changes nothing")
    #expect(
      events(&receiver, packet(20_001, "F8")) == .failure(.outOfWindow), "packet 513 lies between it and 20000")
    #expect(events(&receiver, packet(30_000, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(30_001, "F8")) == [.clock], "follows 30000")
    // Packets 1...511 and 514...30000 are lost.
    #expect(receiver.highestSequence == 30_001 && receiver.statistics.lost == 511 + 29_487)
  }

  /// A forged packet up to 512 numbers ahead is accepted. Of two consecutive forged packets further ahead, the second is accepted. In
  /// both cases, the second genuine packet restarts the stream. `rejected` is the number of forged and genuine packets that are
  /// rejected.
  @Test(arguments: [([UInt16(1500)], 1), ([30_000, 30_001], 2)])
  func streamContinuesAfterForgedNumbersFarAhead(forged: [UInt16], rejected: Int) {
    var receiver = receiver()
    for number in UInt16(0)...1000 { #expect(messages(&receiver, packet(number, "F8")) == [.clock]) }
    for number in forged { _ = messages(&receiver, packet(number, "F8")) }
    #expect(receiver.highestSequence == forged.last)
    #expect(events(&receiver, packet(1001, "F8")) == .failure(.outOfWindow))
    for number in UInt16(1002)...1100 { #expect(messages(&receiver, packet(number, "F8")) == [.clock]) }
    #expect(receiver.statistics.outOfWindow == UInt64(rejected))
  }

  /// During the first 512 packets of a stream, the second of two consecutive numbers that are too far behind restarts the stream: the
  /// first received packets may belong to an earlier session of the same ports.
  @Test func streamRestartsAfterPacketsOfAnEarlierStream() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(20_000, "F8")) == [.clock])
    #expect(messages(&receiver, packet(20_001, "F8")) == [.clock])
    #expect(events(&receiver, packet(9, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(10, "F8")) == [.clock], "follows 9: the stream restarts")
    #expect(events(&receiver, packet(9, "F8")) == .failure(.duplicate), "the number before the first packet, 10")
    #expect(messages(&receiver, packet(11, "F8")) == [.clock])
    #expect(receiver.highestSequence == 11 && receiver.statistics.lost == 0)
    for number in UInt16(12)...600 { #expect(messages(&receiver, packet(number, "F8")) == [.clock]) }
    for number in UInt16(12)...20 { #expect(events(&receiver, packet(number, "F8")) == .failure(.outOfWindow)) }
    #expect(
      messages(&receiver, packet(601, "F8")) == [.clock], "after 512 packets, lower numbers do not restart the stream")
  }

  /// After a restart, the 64 numbers up to the packet that has restarted the stream count as duplicates.
  @Test func streamRestartsJustBehindAnEarlierStream() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(50, "F8")) == [.clock])
    #expect(events(&receiver, packet(20, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(21, "F8")) == [.clock])
    #expect(events(&receiver, packet(20, "F8")) == .failure(.duplicate))
    #expect(
      events(&receiver, packet(21, "F8")) == .failure(.duplicate),
      "20 and 21 are duplicates and do not restart the stream")
    #expect(messages(&receiver, packet(22, "F8")) == [.clock])
    #expect(receiver.highestSequence == 22 && receiver.statistics.lost == 0)
  }

  /// Chapter X contains the number of each System Exclusive of the stream. A receiver that kept the count of the earlier stream,
  /// 50, would regard lost messages of the restarted stream as known.
  @Test func restartedStreamCountsSystemExclusivesFromOne() throws {
    var receiver = receiver()
    /// A packet with the System Exclusive 7D `octet`.
    func exclusive(_ sender: inout PacketSender, _ octet: UInt8) throws -> [UInt8] {
      let instant = Instant(nanoseconds: 0)
      return try #require(
        encoded { sender.encode(systemExclusive: rigid([0x7D, octet]), at: instant, into: &$0) != nil })
    }
    var old = PacketSender(ssrc: 3, sequence: 20_000)
    old.sendsJournal = true
    // Only the last of these 50 packets arrives.
    for octet in 0..<50 as Range<UInt8> {
      let packet = try exclusive(&old, octet)
      if octet == 49 { _ = events(&receiver, packet) }
    }
    var new = PacketSender(ssrc: 3, sequence: 9)
    new.sendsJournal = true
    let first = try exclusive(&new, 1)
    #expect(events(&receiver, first) == .failure(.outOfWindow))
    /// Opens `packet`. Returns the data of all System Exclusives, recovered ones first.
    func data(_ packet: [UInt8]) throws -> [[UInt8]] {
      try receiver.open(packet.span, near: Instant(nanoseconds: 0))
      var all: [[UInt8]] = []
      while let event = receiver.next(in: packet.span) {
        guard case .systemExclusive = event else { continue }
        all.append((0..<receiver.systemExclusiveCount).map { receiver.systemExclusive(at: $0) })
      }
      return all
    }
    let second = try exclusive(&new, 2)
    let restarted = try data(second)
    #expect(restarted == [[0x7D, 1], [0x7D, 2]], "the second packet restarts the stream and recovers 7D 01")
    _ = try exclusive(&new, 3)
    let fourth = try exclusive(&new, 4)
    let repaired = try data(fourth)
    #expect(repaired == [[0x7D, 3], [0x7D, 4]], "7D 03 is lost and recovered from the next packet")
  }

  /// The first packets of a stream can arrive in another order. Therefore the three numbers before the first packet count as duplicates.
  @Test func reorderedFirstPacketsDoNotRestartTheStream() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(13, "80 3C 00")) == [.noteOff(channel, key: 60, velocity: 0)])
    for number in UInt16(10)...12 {
      #expect(
        events(&receiver, packet(number, "90 3C 40")) == .failure(.duplicate), "the late Note On is not delivered")
    }
  }

  @Test func latePacketDeliversOnlyCommandsThatAreCorrectInAnyOrder() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(1, "F8")) == [.clock])
    #expect(messages(&receiver, packet(4, "F8")) == [.clock])
    // Clock, Note On, the ends of two notes, Control Change, Stop, System Exclusive.
    let late = packet(3, "F8 00 90 3C 40 00 90 3D 00 00 80 3E 00 00 B0 07 00 00 FC 00 F0 01 F7")
    #expect(
      messages(&receiver, late) == [
        .clock, .noteOn(channel, key: 61, velocity: 0), .noteOff(channel, key: 62, velocity: 0),
      ])
    #expect(receiver.statistics.heldBack == 4)
    // A Clock sent before Start does not belong to the tick count after Start. Packet 2 precedes Start, packet 6 follows it.
    #expect(messages(&receiver, packet(5, "FA")) == [.start])
    #expect(messages(&receiver, packet(8, "F8")) == [.clock])
    #expect(messages(&receiver, packet(2, "F8")) == [])
    #expect(messages(&receiver, packet(6, "F8")) == [.clock])
    #expect(receiver.statistics.heldBack == 5)
  }

  @Test func truncatedPacketIsRejectedCompletelyAndItsOriginalIsStillAccepted() {
    var receiver = receiver()
    #expect(events(&receiver, Array(packet(2, "F8 00 F8").dropLast())) == .failure(.truncated))
    #expect(receiver.statistics.received == 0 && receiver.highestSequence == nil)
    #expect(messages(&receiver, packet(2, "F8 00 F8")) == [.clock, .clock])
  }

  /// An undefined status (F4, F9, FD), a status among data octets, or a command that is cut ends the list. The commands before it are
  /// delivered, also the end of a note.
  @Test(arguments: ["F9", "FD", "F4", "F0 7D F8 01 F7", "90 40", "90", "F0 01", "90 F8 40"])
  func commandsBeforeAnErrorAreDelivered(fault: String) {
    var receiver = receiver()
    let note = Message.noteOn(channel, key: 55, velocity: 64)
    #expect(messages(&receiver, packet(1, "90 37 40 00 \(fault)")) == [note])
    #expect(messages(&receiver, packet(2, "80 37 00 00 \(fault)")) == [.noteOff(channel, key: 55, velocity: 0)])
    #expect(messages(&receiver, packet(3, fault)) == [])
    #expect(receiver.statistics.malformed == 3 && receiver.statistics.received == 3 && receiver.lost == 0)
    #expect(messages(&receiver, packet(4, "90 38 40")) == [.noteOn(channel, key: 56, velocity: 64)])
  }

  /// The rest of a System Exclusive may have followed the error, so it is dropped, and never completed by a later segment.
  @Test func errorDropsAnUnfinishedSystemExclusive() {
    var receiver = receiver()
    #expect(events(&receiver, packet(1, "F0 01 02 F0")) == .success([]))
    #expect(messages(&receiver, packet(2, "F8 00 F9")) == [.clock])
    #expect(events(&receiver, packet(3, "F7 03 F7")) == .success([]))
    #expect(receiver.statistics.droppedSystemExclusives == 1)
  }

  /// The malformed journals of `cases/bad_journal.py`.
  @Test(arguments: [
    "20 00", "20 00 00", "20 00 00 00 40 08 01 F0", "40 00 00 00 00", "", "20 00 00 00 07 08 81 77 3C 80",
    "2F 00 00 00 06 80 05 00 00", "00 00 00 DE AD",
  ])
  func malformedJournalIsIgnored(journal: String) {
    var receiver = receiver()
    #expect(messages(&receiver, packet(1, "F8")) == [.clock])
    // Packet 2 is lost, so the journal would be used.
    var packet = packet(3, "90 50 40")
    packet[12] |= 0x40
    #expect(
      events(&receiver, packet + hex(journal))
        == .success([
          .message(.noteOn(channel, key: 80, velocity: 64), Instant(hundredMicroseconds: 10))
        ]))
    #expect(receiver.statistics.malformedJournals == 1 && receiver.statistics.repairs == 0 && !receiver.hasJournal)
  }

  @Test func timeStampsAreUnwrappedNearTheReference() {
    let wrap = Int64(1) << 32
    for reference in [0, 5, wrap - 1, wrap, 3 * wrap + 7, -wrap, wrap / 2] {
      for distance in [0, 1, -1, 1000, -1000, wrap / 2 - 1, -wrap / 2] {
        var receiver = receiver()
        let count = reference + distance
        let stamp = UInt32(truncatingIfNeeded: count)
        // Two Clocks. 81 00 is the delta time of the second: 128 units of 100 us.
        let packet = packet(1, stamp: stamp, "F8 81 00 F8")
        #expect(
          events(&receiver, packet, near: Instant(hundredMicroseconds: reference))
            == .success([
              .message(.clock, Instant(hundredMicroseconds: count)),
              .message(.clock, Instant(hundredMicroseconds: count + 128)),
            ]))
      }
    }
  }

  /// The sequence number wraps three times.
  @Test func streamContinuesWhenItsSequenceNumberWraps() {
    var receiver = receiver()
    var sequence: UInt16 = 40_000
    for _ in 0..<200_000 {
      if (try? receiver.open(packet(sequence, "F8").span, near: Instant(nanoseconds: 0))) == nil {
        Issue.record("packet \(sequence) was rejected")
      }
      sequence &+= 1
    }
    #expect(receiver.statistics.received == 200_000 && receiver.statistics.lost == 0)
  }

  @Test func systemExclusivesAreDeliveredCompletelyOrDropped() {
    var receiver = receiver()
    let complete: Result<[PacketReceiver.Event], PacketError> = .success([
      .systemExclusive(Instant(hundredMicroseconds: 10))
    ])
    let noEvent: Result<[PacketReceiver.Event], PacketError> = .success([])
    #expect(events(&receiver, packet(1, "F0 01 02 03 04 05 06 07 08 F7")) == complete)
    // Nine data octets are too many for this receiver.
    #expect(events(&receiver, packet(2, "F0 01 02 03 04 05 06 07 08 09 F7")) == noEvent)
    #expect(receiver.statistics.droppedSystemExclusives == 1)
    // Packet 4 with the middle segment is lost.
    #expect(events(&receiver, packet(3, "F0 01 F0")) == noEvent)
    #expect(events(&receiver, packet(5, "F7 03 F7")) == noEvent)
    #expect(receiver.statistics.droppedSystemExclusives == 2)
    // Packet 6 with the first segment is lost.
    #expect(events(&receiver, packet(7, "F7 02 F0 00 F7 03 F7")) == noEvent)
    #expect(receiver.statistics.droppedSystemExclusives == 3)
    // The three segments together have ten octets.
    #expect(events(&receiver, packet(8, "F0 01 02 03 04 05 F0 00 F7 06 07 08 09 F0 00 F7 01 F7")) == noEvent)
    #expect(receiver.statistics.droppedSystemExclusives == 4)
    // The sender cancels the first command (F7 F4) and sends another one.
    #expect(events(&receiver, packet(9, "F0 01 F0 00 F7 F4 00 F0 04 F7")) == complete)
    #expect(receiver.systemExclusiveCount == 1 && receiver.systemExclusive(at: 0) == 4)
    // A second command begins before the first one has ended.
    #expect(events(&receiver, packet(10, "F0 01 F0 00 F0 05 F0 00 F7 06 F7")) == complete)
    #expect(receiver.systemExclusiveCount == 2 && receiver.statistics.droppedSystemExclusives == 5)
  }

  /// Each damaged packet is either opened or rejected. An opened packet has at most one event per octet.
  @Test(arguments: UInt64(1)...10) func damagedPacketsAreOpenedOrRejectedWithoutATrap(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var receiver = receiver()
    var sender = PacketSender(ssrc: 3, sequence: 60_000)
    var opened: UInt64 = 0
    var rejected: UInt64 = 0
    for _ in 0..<5_000 {
      var packet = octets { packet in
        switch random.integer(in: 0...3) {
        case 0: _ = sender.encode(.clock, at: Instant(nanoseconds: 1), into: &packet)
        case 1:
          let data = (0..<random.integer(in: 0...12)).map { _ in UInt8(random.integer(in: 0...127)) }
          _ = sender.encode(systemExclusive: rigid(data), at: Instant(nanoseconds: 1), into: &packet)
        default:
          _ = sender.encode(.pitchBend(channel, 77), at: Instant(nanoseconds: 1), into: &packet)
          for _ in 0..<random.integer(in: 0...60) { packet.append(UInt8(random.integer(in: 0...255))) }
        }
      }
      for _ in 0..<random.integer(in: 0...3) {
        packet[Int(random.integer(in: 0...Int64(packet.count - 1)))] = UInt8(random.integer(in: 0...255))
      }
      if random.integer(in: 0...3) == 0 { packet.removeLast(Int(random.integer(in: 0...Int64(packet.count)))) }
      do {
        try receiver.open(packet.span, near: Instant(nanoseconds: random.integer(in: .min...(.max))))
        opened += 1
        var events = 0
        while receiver.next(in: packet.span) != nil { events += 1 }
        if events > packet.count { Issue.record("seed \(seed): more events than octets") }
      } catch {
        rejected += 1
      }
      if receiver.systemExclusiveCount > 8 {
        Issue.record("seed \(seed): more System Exclusive octets than the capacity")
      }
    }
    let statistics = receiver.statistics
    #expect(statistics.received == opened, "seed \(seed)")
    #expect(opened + rejected == 5_000, "seed \(seed)")
    // The lower limits show that both results have occurred.
    #expect(statistics.received > 100 && statistics.malformed > 100, "seed \(seed)")
  }
}
