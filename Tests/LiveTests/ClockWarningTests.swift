import Measurement
import MusicalTime
import Testing
import _TestSupport

@testable import Engine

extension TimingTests {
  /// A test that a follower of a faulty master logs one warning, and that its rhythm continues.
  @Suite struct ClockWarningTests {
    /// All faults are tested at the same time, each with its own master and follower.
    @Test func rhythmContinuesAndOneWarningIsLogged() async throws {
      try await withThrowingTaskGroup { group in
        for fault in FaultyMaster.Fault.allCases { group.addTask { try await expectOneWarning(fault: fault) } }
        try await group.waitForAll()
      }
    }

    private func expectOneWarning(fault: FaultyMaster.Fault) async throws {
      let folder = try TemporaryFolder()
      let master = try FaultyMaster(fault)
      let ben = try LivePeer("ben", folder: folder, connect: [master.port])
      try await ben.waitForLog("this peer follows")
      try await pause(for: .seconds(2))
      master.beginFault()
      try await pause(for: .seconds(3))
      master.endFault()
      try await pause(for: .seconds(2))
      let trace = try ben.leave()
      master.leave()
      // The fault `clockIsStepped` steps the clock of the master forward by two seconds when the fault begins, and back when it ends.
      // After each change of the clock, the follower enters the rhythm again at the next step of the rhythm. This causes a break. The
      // other faults cause no break.
      let breaks = zip(trace.ticks, trace.ticks.dropFirst()).count { $1.tick != $0.tick + 1 || $1.due <= $0.due }
      #expect(breaks <= (fault == .clockIsStepped ? 2 : 0), "\(fault)")
      // The rhythm plays for about seven seconds, with 48 ticks per second.
      #expect(trace.ticks.count > 6 * 48, "\(fault): \(trace.ticks.count) ticks")
      // The differences between the tick intervals and their nominal length at 120 BPM.
      let deviations = zip(trace.ticks, trace.ticks.dropFirst()).map {
        ($1.due - $0.due - .microseconds(20833)).magnitude
      }
      switch fault {
      case .clockIsStepped:
        // Each of the two breaks lasts at most two steps of the rhythm (250 ms) and some tens of milliseconds.
        #expect(
          deviations.count { $0 > .milliseconds(1) } <= 2 && deviations.allSatisfy { $0 < .milliseconds(300) },
          "\(fault)")
        #expect(ben.log.count { $0.contains("Eve: its clock was stepped") } == 1, "\(fault)")
      case .clockStandsStill, .clockRunsBackwards, .clockJumps:
        // The follower slews its clock by at most 0.4 %, which changes the length of a tick by 83 us. The limit of 130 us leaves a
        // margin.
        #expect(deviations.allSatisfy { $0 < .microseconds(130) }, "\(fault): \(deviations.max()!)")
        // At least one of the two warnings is logged, and neither of them twice.
        let warnings = ben.log.filter {
          $0.contains("Eve: sends implausible time stamps") || $0.contains("Eve: its replies to clock measurements")
        }
        #expect(!warnings.isEmpty && warnings.count == Set(warnings).count, "\(fault): \(ben.log)")
      case .repliesTwice:
        #expect(deviations.allSatisfy { $0 < .microseconds(130) }, "\(fault)")
        #expect(ben.log.count { $0.contains("Eve: its replies to clock measurements arrive twice") } == 1, "\(fault)")
        // In the three seconds of the fault, the follower sends up to 50 requests per second.
        #expect((trace.summary?.others["probes_rejected"] ?? 0) >= 50, "\(fault)")
      case .sendsUndecodableMessages:
        #expect(deviations.allSatisfy { $0 < .microseconds(130) }, "\(fault)")
        #expect(ben.log.count { $0.contains("Eve: sends messages that cannot be decoded") } == 1, "\(fault)")
        // In the three seconds of the fault, the master sends 15 timeline messages.
        #expect((trace.summary?.others["timeline_messages_rejected"] ?? 0) >= 10, "\(fault)")
      }
    }
  }
}
