import MusicalTime
import Testing

@testable import Ensemble
@testable import Simulation

/// Tests that suspend and resume a machine while a rhythm plays. During the suspension, the clock of the machine,
/// CLOCK_MONOTONIC, stands still.
@Suite struct SuspensionTests {
  /// The limit for the time from the end of a suspension until all peers play in step again, that is, within 2 ms. It is less than a
  /// bar (2 s).
  private let limit = Nanoseconds.seconds(1)

  /// Host 0 is the master before the suspension, and hosts 1 and 2 follow it. `duration` is in milliseconds. Followers continue for 2 s
  /// without a master, and a session is lost after at least 5 s of silence. Some suspensions are shorter than these times, and some are
  /// longer. The four suspensions of 4 to 5.5 s differ by a quarter of a bar (500 ms), so that one of them ends in each quarter of a bar.
  @Test(arguments: [0, 1], [1500, 4000, 4500, 5000, 5500, 20_000, 600_000])
  func peersAreBackInStepAfterSuspendAndResume(host: Int, duration: Int64) {
    var settings = VirtualWorld.Settings(table: table)
    // A low probe rate limit makes the simulation faster.
    (settings.network, settings.peers, settings.probeRateLimit) = (.lan, 3, 10)
    // Longer than all phases of the test: 15 s before the suspension, at most 600 s, and 20 s after the suspension.
    let world = VirtualWorld.steady(settings, length: .seconds(700))
    var end = Instant(nanoseconds: 15_000_000_000)
    _ = world.run(until: end)
    #expect(phaseError(world) < .milliseconds(1), "before the suspension")
    world.suspend(host)
    end = end + .milliseconds(duration)
    _ = world.run(until: end)
    world.resume(host)
    // The last instant at which the peers were not in step. They are observed for 20 s, every 10 ms.
    var apart = end
    for sample in Int64(1)...2000 {
      _ = world.run(until: end + .milliseconds(sample * 10))
      if phaseError(world) >= .milliseconds(2) { apart = world.now }
    }
    #expect(apart - end <= limit, "in step after \((apart - end).milliseconds) ms")
    #expect(world.outcome.holds, "\(world.outcome.violations)")
    // Only the clock of the suspended machine stood still. Its peer must neither conclude that the clocks of the other peers have
    // stepped, nor reject many of their time stamps.
    let ensemble = world.hosts[host].peer!.core.ensemble
    #expect(ensemble.clockResets == 0)
    #expect(ensemble.stampsRejected < EnsembleState.rejectedStampsForWarning)
  }

  /// The largest difference between the true instants at which two peers play the latest tick that any peer has reached; 1000 s if there
  /// is not exactly one master, or if a peer does not play.
  private func phaseError(_ world: VirtualWorld) -> Nanoseconds {
    let peers = world.hosts.compactMap(\.peer)
    let schedules = peers.map(\.core.ensemble.schedule)
    guard world.master != nil, !peers.contains(where: { $0.core.ensemble.role == .idle }),
      let tick = zip(peers, schedules).map({ $1.tick(at: $0.now) }).max()
    else { return .seconds(1000) }
    let due = zip(peers, schedules).map { $0.clock.truth(at: $1.deadline(tick)) }
    return due.max()! - due.min()!
  }
}
