import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// RFC 6295 section 4: after any loss, the next packet that arrives makes the state of the receiver equal to that of
/// the sender.
@Suite struct LossTests {
  /// After each packet that is newer than all packets before it, the state of the receiver equals that of the sender. No note is
  /// played that the sender did not hold. Each journalled System Exclusive arrives once, complete and in order.
  @Test(arguments: LossyLink.Kind.allCases) func receiverStateMatchesSenderState(kind: LossyLink.Kind) {
    // The seeds 1...1000 are distributed among the kinds of links.
    let kinds = UInt64(LossyLink.Kind.allCases.count)
    let first = UInt64(LossyLink.Kind.allCases.firstIndex(of: kind)!) + 1
    var recovered: UInt64 = 0
    for seed in stride(from: first, through: 1000, by: Int(kinds)) {
      var stream = LossyStream(kind, seed: seed)
      stream.sender.usesEnhancedControllers = seed % 4 == 0
      stream.send(RandomCommands(count: 60, seed: seed).commands)
      stream.sendGuardPackets()
      for problem in stream.problems.prefix(3) { Issue.record("seed \(seed): \(problem)") }
      if stream.sender.discarded > 0 || stream.receiver.statistics.uncovered > 0 {
        Issue.record("seed \(seed): the journal did not cover a loss")
      }
      recovered += stream.receiver.statistics.recovered
    }
    // On each kind of link, commands were lost and recovered.
    #expect(recovered > 50)
  }

  /// A follower that uses only Start, Continue, Stop, Song Position and Clock has the correct tick count.
  @Test(arguments: UInt64(1)...20) func tickCountIsCorrectAfterLoss(seed: UInt64) {
    var stream = LossyStream(.twentyPercent, seed: seed)
    stream.send(.start)
    for _ in 0..<500 { stream.send(.clock) }
    stream.send(.stop)
    stream.send(.songPosition(UInt14(clamping: Int(seed) * 100)))
    stream.send(.continue)
    for _ in 0..<500 { stream.send(.clock) }
    stream.sendGuardPackets()
    #expect(stream.problems == [], "seed \(seed)")
    // One unit of Song Position is six ticks. The first of the 500 Clocks plays the tick at this position, so the next tick
    // to play is 500 later.
    #expect(stream.receivedState.tick == Int(seed) * 600 + 500 && stream.receivedState.isRunning, "seed \(seed)")
  }

  /// A receiver that never acknowledges loses one packet after 198 System Exclusives. The journal contains only the
  /// data of the first System Exclusive. The numbers of System Exclusives wrap at 256, so number 1 seems to be
  /// 59 numbers after number 198. The receiver must not take the first System Exclusive for a new one.
  @Test func oldExclusiveIsNotRepeated() throws {
    let journalSender = JournalSender()
    var receiver = PacketReceiver(ssrc: 1, systemExclusiveCapacity: 512)
    var received: [UInt8] = []
    for index in 0..<200 {
      journalSender.send(exclusive: [index == 0 ? 1 : 2], isJournalled: index == 0)
      // The packet of number 199 is lost. The receiver evaluates the journal in the packet of number 200, whose sequence number shows the
      // loss.
      if index == 198 { continue }
      try receiver.open(journalSender.packet.span, near: Instant(nanoseconds: 1))
      while let event = receiver.next(in: journalSender.packet.span) {
        if case .systemExclusive = event { received.append(receiver.systemExclusive(at: 0)) }
      }
    }
    #expect(received == [1] + [UInt8](repeating: 2, count: 198))
  }

  /// The second of three segments of a System Exclusive is lost. The journal cannot recover the command in two cases: a Reset
  /// has removed the first segment from the history, or the packet of the third segment has no room for the copy of the command
  /// in the journal (the log of chapter X). In both cases the receiver drops the command.
  @Test(arguments: [true, false]) func incompleteExclusiveIsDropped(isReset: Bool) throws {
    let journalSender = JournalSender()
    let data = rigid([UInt8](repeating: 1, count: 300))
    var receiver = PacketReceiver(ssrc: 1, systemExclusiveCapacity: 512)
    var exclusives = 0
    /// Passes `packet` to the receiver and counts complete System Exclusives.
    func receive(_ packet: [UInt8]) throws {
      try receiver.open(packet.span, near: Instant(nanoseconds: 1))
      while let event = receiver.next(in: packet.span) { if case .systemExclusive = event { exclusives += 1 } }
    }
    var sent = 0
    /// The next segment, in a packet of at most `capacity` octets.
    func segment(_ capacity: Int) -> [UInt8] {
      octets(capacity: capacity) {
        sent =
          journalSender.sender.encode(systemExclusive: data, from: sent, at: Instant(nanoseconds: 1), into: &$0) ?? -1
      }
    }
    try receive(segment(120))
    if isReset {
      journalSender.send(.reset)
      try receive(journalSender.packet)
    }
    // The second segment is lost.
    _ = segment(isReset ? 180 : 250)
    let middle = sent
    // After a Reset, the packet of the third segment has room for the log. Without a Reset, the packet must be too
    // small for the log.
    while sent < 300 { try receive(segment(isReset ? 1400 : 180)) }
    #expect(middle > 0 && middle < 300 && sent == 300 && exclusives == 0)
    #expect(receiver.statistics.droppedSystemExclusives == 1)
  }
}
