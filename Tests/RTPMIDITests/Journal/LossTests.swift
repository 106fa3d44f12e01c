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
}
