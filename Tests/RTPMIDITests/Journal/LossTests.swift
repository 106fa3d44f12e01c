import MIDI
import MusicalTime
import Seeds
import Testing

@testable import RTPMIDI

/// RFC 6295 section 4: after the loss of any packets, the next one that arrives makes the receiver's state the sender's.
@Suite struct LossTests {
  /// At every packet that arrives in order, all of the state is the sender's; no note is played that the sender did not
  /// hold; and each System Exclusive comes once, whole and in order.
  @Test(arguments: LossyChannel.Kind.allCases) func theReceiversStateIsTheSenders(kind: LossyChannel.Kind) {
    let kinds = UInt64(LossyChannel.Kind.allCases.count)
    let first = UInt64(LossyChannel.Kind.allCases.firstIndex(of: kind)!) + 1
    var recovered: UInt64 = 0
    for seed in stride(from: first, through: 1000, by: Int(kinds)) {
      var rehearsal = Rehearsal(kind, seed: seed)
      rehearsal.sender.usesEnhancedControllers = seed % 4 == 0
      rehearsal.play(Performance(count: 60, seed: seed).actions)
      rehearsal.guardTheEnd()
      for problem in rehearsal.problems.prefix(3) { Issue.record("seed \(seed): \(problem)") }
      if rehearsal.sender.forgotten > 0 || rehearsal.receiver.statistics.uncovered > 0 {
        Issue.record("seed \(seed): the journal was too short")
      }
      recovered += rehearsal.receiver.statistics.recovered
    }
    #expect(recovered > 50)
  }

  /// A follower that knows nothing but Start, Song Position and ticks is never off by one.
  @Test(arguments: UInt64(1)...20) func aFollowerThatCountsTicks(seed: UInt64) {
    var rehearsal = Rehearsal(.twentyPercent, seed: seed)
    rehearsal.send(.start)
    for _ in 0..<500 { rehearsal.send(.clock) }
    rehearsal.send(.stop)
    rehearsal.send(.songPosition(UInt14(clamping: Int(seed) * 100)))
    rehearsal.send(.continue)
    for _ in 0..<500 { rehearsal.send(.clock) }
    rehearsal.guardTheEnd()
    #expect(rehearsal.problems == [], "seed \(seed)")
    #expect(rehearsal.heard.tick == Int(seed) * 600 + 500 && rehearsal.heard.isRunning, "seed \(seed)")
  }

  /// The journal can tell nothing of a System Exclusive of which the second of three pieces is lost: a Reset has made it
  /// forget the first, or the third's packet has no room for it. The receiver drops it.
  @Test(arguments: [true, false]) func noExclusiveWithAHoleIsGiven(isReset: Bool) throws {
    let bench = JournalBench()
    let data = rigid([UInt8](repeating: 1, count: 300))
    var receiver = PacketReceiver(ssrc: 1, systemExclusiveCapacity: 512)
    var exclusives = 0
    func receive(_ packet: [UInt8]) throws {
      try receiver.open(packet.span, near: Instant(nanoseconds: 1))
      while let event = receiver.next(in: packet.span) { if case .systemExclusive = event { exclusives += 1 } }
    }
    var sent = 0
    func piece(_ capacity: Int) -> [UInt8] {
      octets(capacity: capacity) {
        sent = bench.sender.encode(systemExclusive: data, from: sent, at: Instant(nanoseconds: 1), into: &$0) ?? -1
      }
    }
    try receive(piece(120))
    if isReset {
      bench.send(.reset)
      try receive(bench.packet)
    }
    _ = piece(isReset ? 180 : 250)
    let middle = sent
    // Of the third, an end that fits a packet with room for no log of the first two.
    while sent < 300 { try receive(piece(isReset ? 1400 : 180)) }
    #expect(middle > 0 && middle < 300 && sent == 300 && exclusives == 0)
    #expect(receiver.statistics.droppedSystemExclusives == 1)
  }
}
