import MusicalTime
import Simulation
import Testing

extension VirtualWorld {
  /// Simulates to the end and returns the outcome.
  func simulated() -> Outcome {
    while run(until: .distantFuture) {}
    return outcome
  }
}

/// Simulations without disturbances: one peer starts a rhythm, and all other peers follow it.
@Suite struct SteadyScenarioTests {
  /// Simulates a scenario in which one peer starts a rhythm and the others follow.
  private func simulate(_ network: NetworkModel, peers: Int = 4, seconds: Int64 = 15, seed: UInt64 = 1) -> Outcome {
    var settings = VirtualWorld.Settings(table: table)
    // A low probe rate limit makes the simulation faster.
    (settings.network, settings.peers, settings.seed, settings.probeRateLimit) = (network, peers, seed, 10)
    return VirtualWorld.steady(settings, length: .seconds(seconds)).simulated()
  }

  /// The arguments are a network and a limit in microseconds, which is larger for more jitter. A distance is the time from the instant
  /// at which the master plays a step to the instant at which a follower plays this step. 95 % of the distances are below the limit.
  @Test(arguments: [(NetworkModel.still, 3.0), (.lan, 60), (.wifi, 600), (.poor, 1500)])
  func allPeersPlayEveryStepTogether(network: NetworkModel, limit: Double) {
    let outcome = simulate(network)
    #expect(outcome.holds, "\(outcome.violations)")
    // The commands to start at 3.5 s and to stop at 13.95 s take effect one lead time (100 ms) later. From 3.6 s to 14.05 s, each of
    // the four peers plays eight steps per second (120 BPM): 84 steps.
    #expect(outcome.steps == 4 * 84, "\(network.name)")
    let distances = outcome.distances.map { abs($0.microseconds) }.sorted()
    // The outcome contains the distances of settled followers only. Three followers have at most 3 * 84 distances.
    #expect(distances.count > 100)
    #expect(distances[distances.count * 95 / 100] < limit, "\(network.name): \(distances)")
    // No peer took over the rhythm, and no master yielded to a higher claim.
    #expect(outcome.starts == 1 && outcome.takeovers == 0 && outcome.outranked == 0)
  }

  /// The same seed gives the same events in the same order.
  @Test func seedDeterminesTheOutcome() {
    let (first, second, other) = (simulate(.wifi), simulate(.wifi), simulate(.wifi, seed: 2))
    #expect(first.digest == second.digest)
    #expect(first.distances == second.distances && first.packets == second.packets)
    #expect(first.digest != other.digest)
  }

  @Test func thirtyPeersFollowOneMaster() {
    let outcome = simulate(.lan, peers: 30, seconds: 10)
    #expect(outcome.holds, "\(outcome.violations)")
    // The rhythm plays from 3.6 s to 9.05 s: 44 steps. On average, each peer plays at least 40 of them.
    #expect(outcome.steps >= 30 * 40)
  }
}
