import Measurement
import MusicalTime
import Testing
import _TestSupport
import _TestTraits

@testable import Engine

/// A master whose word is not to be trusted, live: it is noticed and told once, and the rhythm goes on.
@Suite(.ownThreads) struct DoubtTests {
  @Test(arguments: LyingMaster.Lie.allCases) func theRhythmGoesOn(lie: LyingMaster.Lie) async throws {
    let folder = try TemporaryFolder()
    let master = try LyingMaster(lie)
    let ben = try Player("ben", folder: folder, connect: [master.port])
    try await ben.says("follower")
    try await Task.sleep(for: .seconds(2))
    master.beginLying()
    try await Task.sleep(for: .seconds(3))
    master.endLying()
    try await Task.sleep(for: .seconds(2))
    let trace = try ben.leave()
    master.leave()
    // Where its clock is set by two seconds, and back, it begins anew on the next step.
    let breaks = zip(trace.ticks, trace.ticks.dropFirst()).count { $1.tick != $0.tick + 1 || $1.due <= $0.due }
    #expect(breaks <= (lie == .isSet ? 2 : 0), "\(lie)")
    #expect(trace.ticks.count > 6 * 48, "\(lie): \(trace.ticks.count) ticks")
    let spacings = zip(trace.ticks, trace.ticks.dropFirst()).map { ($1.due - $0.due - .microseconds(20833)).magnitude }
    switch lie {
    case .isSet:
      // There and back again it jumps, and misses a step or two at most.
      #expect(spacings.count { $0 > .milliseconds(1) } <= 2 && spacings.allSatisfy { $0 < .milliseconds(300) })
      #expect(ben.said.count { $0.contains("Eve: its clock was stepped") } == 1)
    case .standsStill, .runsBackwards, .jumpsAbout:
      // A tick is moved by half a percent of its length at most, and what two clocks part by.
      #expect(spacings.allSatisfy { $0 < .microseconds(130) }, "\(lie): \(spacings.max()!)")
      let doubts = ben.said.filter { $0.contains("implausible stamps") || $0.contains("clock probes: unsolicited") }
      #expect(!doubts.isEmpty && doubts.count == Set(doubts).count, "\(lie): \(ben.said)")
    case .repliesTwice:
      #expect(spacings.allSatisfy { $0 < .microseconds(130) })
      #expect(ben.said.count { $0.contains("clock probes: unsolicited or duplicate replies") } == 1)
      #expect((trace.summary?.others["probes_rejected"] ?? 0) >= 50)
    case .statesNonsense:
      #expect(spacings.allSatisfy { $0 < .microseconds(130) })
      #expect(ben.said.count { $0.contains("Eve: sends messages that cannot be decoded") } == 1)
      #expect((trace.summary?.others["timeline_messages_rejected"] ?? 0) >= 10)
    }
  }
}
