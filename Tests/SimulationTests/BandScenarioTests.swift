import Ensemble
import MusicalTime
import PeerProtocol
import Testing

@testable import Simulation

/// Tests of bands in which each peer knows the addresses of some others only, and not all hosts reach each other.
@Suite struct BandScenarioTests {
  /// Runs the scenario with this seed for 90 s, or until the first violation.
  private func outcome(_ seed: UInt64, without rule: EnsembleRule? = nil) -> Outcome {
    var settings = VirtualWorld.Settings.bands(seed: seed, table: table)
    settings.disabledRule = rule
    let world = VirtualWorld.bands(settings, length: .seconds(90))
    for second in Int64(1)...90 where world.outcome.holds {
      _ = world.run(until: Instant(nanoseconds: second * 1_000_000_000))
    }
    return world.outcome
  }

  @Test(arguments: UInt64(1)...12) func everyBandHasOneMaster(seed: UInt64) {
    let outcome = outcome(seed)
    #expect(outcome.holds, "seed \(seed): \(outcome.violations)")
    #expect(outcome.starts > 0 && outcome.evaluations[.oneBand] ?? 0 > 1000)
  }

  /// Seeds with a violation if a rule is disabled. With a number of its own, a forwarded presence keeps peers that have disappeared alive.
  @Test(arguments: [(EnsembleRule.introductions, [UInt64(1), 2]), (.numbers, [UInt64(31), 37, 67, 69, 80])])
  func disablingARuleViolatesTheInvariant(rule: EnsembleRule, seeds: [UInt64]) {
    #expect(seeds.contains { outcome($0, without: rule).counts[.oneBand] ?? 0 > 0 })
  }

  /// The peer at the host `starter` starts the rhythm after 8 s, and the peer at the host `crashing` crashes after 16 s.
  private final class Fixed: Scenario {
    let starter, crashing: Int
    private var step = 0
    init(starter: Int, crashing: Int) { (self.starter, self.crashing) = (starter, crashing) }

    func advance(_ world: VirtualWorld) -> Instant {
      step += 1
      switch step {
      case 1: for host in world.hosts.indices { world.enter(host) }
      case 2:
        try? world.command(starter) { core, now throws(CommandError) in
          try core.ensemble.start(tempo: .standard, at: now)
        }
      case 3: world.crash(crashing)
      default: return .distantFuture
      }
      return Instant(nanoseconds: Int64(step) * 8_000_000_000)
    }
  }

  /// The host of each master, with the hosts of its followers: one second before the crash, and seven seconds after it.
  private func roles(_ configured: [[Int]], links: [(Int, Int)]? = nil, starter: Int, crashing: Int) -> [[[Int]]] {
    var settings = VirtualWorld.Settings(table: table)
    (settings.peers, settings.network) = (configured.count, .lan)
    var shape = BandShape(
      configured: configured, links: [Bool](repeating: links == nil, count: configured.count * configured.count))
    for (a, b) in links ?? [] {
      shape.links[a * configured.count + b] = true
      shape.links[b * configured.count + a] = true
    }
    settings.shape = shape
    let world = VirtualWorld(settings, scenario: Fixed(starter: starter, crashing: crashing), length: .seconds(60))
    return [Int64(15), 23].map { second in
      _ = world.run(until: Instant(nanoseconds: second * 1_000_000_000))
      return world.hosts.indices.compactMap { host in
        guard let peer = world.hosts[host].peer, peer.core.ensemble.role == .master else { return nil }
        let followers = world.hosts.indices.filter {
          world.hosts[$0].peer?.core.ensemble.role == .follower(of: peer.identity)
        }
        return [host] + followers
      }
    }
  }

  @Test func leavesOfAStarFollowALeafAndOneSuccessor() {
    let star = [[], [0], [0], [0]]
    let followsLeaf = roles(star, starter: 2, crashing: 2)
    #expect(followsLeaf[0] == [[2, 0, 1, 3]])
    let losesHub = roles(star, starter: 0, crashing: 0)
    #expect(losesHub[0] == [[0, 1, 2, 3]])
    #expect(losesHub[1].count == 1 && losesHub[1][0].sorted() == [1, 2, 3])
  }

  @Test func chainAndTwoStarsAreOneBand() {
    #expect(roles([[], [0], [1], [2]], starter: 3, crashing: 0)[0] == [[3, 0, 1, 2]])
    #expect(roles([[], [0], [0], [0], [3], [3]], starter: 5, crashing: 0)[0] == [[5, 0, 1, 2, 3, 4]])
  }

  /// Hosts 0 and 2 reach each other only through host 1.
  @Test func bandPlaysThroughTheMiddleMachineAndEachHalfGoesOn() {
    let halves = roles([[1], [], [1]], links: [(0, 1), (1, 2)], starter: 0, crashing: 1)
    #expect(halves[0] == [[0, 1, 2]])
    #expect(halves[1] == [[0], [2]])
  }

  /// Hosts 0 and 2 hear each other only through host 1. The gates of host 0 for host 2 are in the presences that host 1 forwards. An
  /// offer would not arrive, so host 2 does not ask for one.
  @Test func forwardedPresencesReportTheGatesForTheirReceiver() throws {
    var settings = VirtualWorld.Settings(table: table)
    (settings.peers, settings.network) = (3, .lan)
    settings.shape = BandShape(
      configured: [[1], [], [1]], links: [false, true, false, true, false, true, false, true, false])
    let world = VirtualWorld(settings, scenario: Fixed(starter: 0, crashing: 1), length: .seconds(60))
    _ = world.run(until: Instant(nanoseconds: 7_000_000_000))
    let identities = try (0..<3).map { try #require(world.hosts[$0].peer).identity }
    /// What host `observer` knows about the gates of host `a` for host `b`.
    func gates(_ observer: Int, _ a: Int, for b: Int) -> GateSet? {
      world.hosts[observer].peer?.core.ensemble.takes(of: identities[a])[identities[b]]
    }
    world.command(0) { core, _ in core.ensemble.gates.set(.notes, open: false, for: "\(identities[2])") }
    world.command(0) { core, _ in core.ensemble.gates.set(.activity, open: false, for: "\(identities[1])") }
    _ = world.run(until: Instant(nanoseconds: 15_000_000_000))
    let ensemble = try #require(world.hosts[2].peer).core.ensemble
    #expect(ensemble.relay(of: identities[0]) == identities[1])
    for observer in 1...2 {
      #expect(
        gates(observer, 0, for: 1) == GateSet(bits: 0b0111) && gates(observer, 0, for: 2) == GateSet(bits: 0b1101))
    }
    #expect(gates(2, 1, for: 0) == .all && gates(0, 2, for: 1) == .all && gates(0, 2, for: 0) == .all)
    #expect(ensemble.role == .follower(of: identities[0]))
    #expect(throws: CommandError.isNotConnected(identities[0])) {
      try world.command(2) { core, now throws(CommandError) in try core.ensemble.askToLead(true, at: now) }
    }
    try world.command(1) { core, now throws(CommandError) in try core.ensemble.askToLead(true, at: now) }
    _ = world.run(until: Instant(nanoseconds: 15_500_000_000))
    let statuses = try #require(world.hosts[0].peer).core.ensemble.memberStatuses(
      limit: 64, at: Instant(nanoseconds: 0))
    #expect(statuses.filter(\.asks).map(\.identity) == [identities[1]])
  }
}
