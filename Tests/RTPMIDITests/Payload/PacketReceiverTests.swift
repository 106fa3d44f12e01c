import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

@Suite struct PacketReceiverTests {
  private let channel = Channel(1)!

  private func packet(_ sequence: UInt16, stamp: UInt32 = 10, ssrc: UInt32 = 3, _ list: String) -> [UInt8] {
    let payload = hex(list)
    func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    let header = [0x80, 0x61, UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence)] + big(stamp) + big(ssrc)
    return header + [0x80, UInt8(payload.count)] + payload
  }

  /// The events of `packet`, or the error it brought.
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

  private func messages(_ receiver: inout PacketReceiver, _ packet: [UInt8]) -> [Message]? {
    try? events(&receiver, packet).get().compactMap { if case .message(let message, _) = $0 { message } else { nil } }
  }

  private func receiver() -> PacketReceiver { PacketReceiver(ssrc: 3, systemExclusiveCapacity: 8) }

  @Test func lossReorderingAndReplayAreToldApart() {
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
    #expect(events(&receiver, packet(65_533, "F8")) == .failure(.duplicate), "from before the stream began")
    #expect(messages(&receiver, packet(66, "F8")) == [.clock])
    #expect(messages(&receiver, packet(3, "F8")) == [.clock], "63 behind is the last that can be told")
    #expect(events(&receiver, packet(2, "F8")) == .failure(.outOfWindow))
    #expect(events(&receiver, packet(67, ssrc: 4, "F8")) == .failure(.otherSource))
    #expect(receiver.statistics.received == 5 && receiver.statistics.outOfWindow == 1)
  }

  @Test func aLeapIsBelievedWhenItGoesOn() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(0, "F8")) == [.clock])
    #expect(messages(&receiver, packet(512, "F8")) == [.clock], "the furthest that is believed at once")
    #expect(events(&receiver, packet(20_000, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(513, "F8")) == [.clock], "a forged number changes nothing")
    #expect(events(&receiver, packet(20_001, "F8")) == .failure(.outOfWindow), "nor does one that others came before")
    #expect(events(&receiver, packet(30_000, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(30_001, "F8")) == [.clock])
    #expect(receiver.highestSequence == 30_001 && receiver.statistics.lost == 511 + 29_487)
  }

  @Test func aStreamMayBeginWithPacketsOfTheOneBefore() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(20_000, "F8")) == [.clock])
    #expect(messages(&receiver, packet(20_001, "F8")) == [.clock])
    #expect(events(&receiver, packet(9, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(10, "F8")) == [.clock])
    #expect(events(&receiver, packet(9, "F8")) == .failure(.duplicate), "from before the stream began")
    #expect(messages(&receiver, packet(11, "F8")) == [.clock])
    #expect(receiver.highestSequence == 11 && receiver.statistics.lost == 0)
    for number in UInt16(12)...600 { #expect(messages(&receiver, packet(number, "F8")) == [.clock]) }
    for number in UInt16(12)...20 { #expect(events(&receiver, packet(number, "F8")) == .failure(.outOfWindow)) }
    #expect(messages(&receiver, packet(601, "F8")) == [.clock], "later nothing brings the numbers back")
  }

  @Test func aStreamMayBeginJustBehindTheOneBefore() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(50, "F8")) == [.clock])
    #expect(events(&receiver, packet(20, "F8")) == .failure(.outOfWindow))
    #expect(messages(&receiver, packet(21, "F8")) == [.clock])
    #expect(events(&receiver, packet(20, "F8")) == .failure(.duplicate))
    #expect(events(&receiver, packet(21, "F8")) == .failure(.duplicate), "repeated, not begun anew")
    #expect(messages(&receiver, packet(22, "F8")) == [.clock])
    #expect(receiver.highestSequence == 22 && receiver.statistics.lost == 0)
  }

  /// System Exclusives are counted; the count of the stream before is not this one's, and no message is missed for it.
  @Test func aStreamBegunAnewCountsItsExclusivesAnew() throws {
    var receiver = receiver()
    func exclusive(_ sender: inout PacketSender, _ octet: UInt8) throws -> [UInt8] {
      let instant = Instant(nanoseconds: 0)
      return try #require(
        encoded { sender.encode(systemExclusive: rigid([0x7D, octet]), at: instant, into: &$0) != nil })
    }
    var old = PacketSender(ssrc: 3, sequence: 20_000)
    old.sendsJournal = true
    for octet in 0..<50 as Range<UInt8> {
      let packet = try exclusive(&old, octet)
      if octet == 49 { _ = events(&receiver, packet) }
    }
    var new = PacketSender(ssrc: 3, sequence: 9)
    new.sendsJournal = true
    let first = try exclusive(&new, 1)
    #expect(events(&receiver, first) == .failure(.outOfWindow))
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
    let begun = try data(second)
    #expect(begun == [[0x7D, 1], [0x7D, 2]])
    _ = try exclusive(&new, 3)
    let fourth = try exclusive(&new, 4)
    let repaired = try data(fourth)
    #expect(repaired == [[0x7D, 3], [0x7D, 4]], "lost, and told by the next packet")
  }

  @Test func firstPacketsThatSwapAreNotAStreamBegunAnew() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(13, "80 3C 00")) == [.noteOff(channel, key: 60, velocity: 0)])
    for number in UInt16(10)...12 {
      #expect(events(&receiver, packet(number, "90 3C 40")) == .failure(.duplicate), "an older note sounds no more")
    }
  }

  @Test func aLateListGivesOnlyWhatIsRightInAnyOrder() {
    var receiver = receiver()
    #expect(messages(&receiver, packet(1, "F8")) == [.clock])
    #expect(messages(&receiver, packet(4, "F8")) == [.clock])
    let late = packet(3, "F8 00 90 3C 40 00 90 3D 00 00 80 3E 00 00 B0 07 00 00 FC 00 F0 01 F7")
    #expect(
      messages(&receiver, late) == [
        .clock, .noteOn(channel, key: 61, velocity: 0), .noteOff(channel, key: 62, velocity: 0),
      ])
    #expect(receiver.statistics.heldBack == 4)
    // A Start makes the ticks before it another count's.
    #expect(messages(&receiver, packet(5, "FA")) == [.start])
    #expect(messages(&receiver, packet(8, "F8")) == [.clock])
    #expect(messages(&receiver, packet(2, "F8")) == [])
    #expect(messages(&receiver, packet(6, "F8")) == [.clock])
    #expect(receiver.statistics.heldBack == 5)
  }

  @Test func aDamagedPacketIsDroppedWholeAndItsOriginalCanStillCome() {
    var receiver = receiver()
    #expect(events(&receiver, packet(1, "F8 00 F9")) == .failure(.malformedCommands))
    #expect(events(&receiver, packet(1, "F8 00 F0 01")) == .failure(.truncated))
    #expect(receiver.statistics.malformed == 2 && receiver.statistics.received == 0 && receiver.highestSequence == nil)
    #expect(messages(&receiver, packet(1, "F8 00 F8")) == [.clock, .clock])
    #expect(events(&receiver, Array(packet(2, "F8 00 F8").dropLast())) == .failure(.truncated))
    #expect(messages(&receiver, packet(2, "F8 00 F8")) == [.clock, .clock])
  }

  @Test func timeStampsAreUnwrappedNearTheReference() {
    let wrap = Int64(1) << 32
    for reference in [0, 5, wrap - 1, wrap, 3 * wrap + 7, -wrap, wrap / 2] {
      for distance in [0, 1, -1, 1000, -1000, wrap / 2 - 1, -wrap / 2] {
        var receiver = receiver()
        let count = reference + distance
        let stamp = UInt32(truncatingIfNeeded: count)
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

  @Test func sequenceNumbersWrapForEver() {
    var receiver = receiver()
    var sequence: UInt16 = 40_000
    for _ in 0..<200_000 {
      if (try? receiver.open(packet(sequence, "F8").span, near: Instant(nanoseconds: 0))) == nil {
        Issue.record("refused \(sequence)")
      }
      sequence &+= 1
    }
    #expect(receiver.statistics.received == 200_000 && receiver.statistics.lost == 0)
  }

  @Test func systemExclusivesAreBoundedAndWholeOrNothing() {
    var receiver = receiver()
    let done: Result<[PacketReceiver.Event], PacketError> = .success([
      .systemExclusive(Instant(hundredMicroseconds: 10))
    ])
    let nothing: Result<[PacketReceiver.Event], PacketError> = .success([])
    #expect(events(&receiver, packet(1, "F0 01 02 03 04 05 06 07 08 F7")) == done)
    #expect(events(&receiver, packet(2, "F0 01 02 03 04 05 06 07 08 09 F7")) == nothing)
    #expect(receiver.statistics.droppedSystemExclusives == 1)
    // A piece is lost.
    #expect(events(&receiver, packet(3, "F0 01 F0")) == nothing)
    #expect(events(&receiver, packet(5, "F7 03 F7")) == nothing)
    #expect(receiver.statistics.droppedSystemExclusives == 2)
    // The first piece is lost.
    #expect(events(&receiver, packet(7, "F7 02 F0 00 F7 03 F7")) == nothing)
    #expect(receiver.statistics.droppedSystemExclusives == 3)
    // Too long in all.
    #expect(events(&receiver, packet(8, "F0 01 02 03 04 05 F0 00 F7 06 07 08 09 F0 00 F7 01 F7")) == nothing)
    #expect(receiver.statistics.droppedSystemExclusives == 4)
    // Taken back by its sender.
    #expect(events(&receiver, packet(9, "F0 01 F0 00 F7 F4 00 F0 04 F7")) == done)
    #expect(receiver.systemExclusiveCount == 1 && receiver.systemExclusive(at: 0) == 4)
    // Another begins before it ends.
    #expect(events(&receiver, packet(10, "F0 01 F0 00 F0 05 F0 00 F7 06 F7")) == done)
    #expect(receiver.systemExclusiveCount == 2 && receiver.statistics.droppedSystemExclusives == 5)
  }

  /// Whatever comes, packets are received, refused or malformed, never more than sent, and nothing traps.
  @Test(arguments: UInt64(1)...10) func hostilePackets(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var receiver = receiver()
    var sender = PacketSender(ssrc: 3, sequence: 60_000)
    var opened: UInt64 = 0
    var refused: UInt64 = 0
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
        refused += 1
      }
      if receiver.systemExclusiveCount > 8 { Issue.record("seed \(seed): over the bound") }
    }
    let statistics = receiver.statistics
    #expect(statistics.received == opened, "seed \(seed)")
    #expect(opened + refused == 5_000, "seed \(seed)")
    #expect(statistics.received > 100 && statistics.malformed > 100 && statistics.lost >= 0, "seed \(seed)")
  }
}
