import MusicalTime
import Testing

@testable import Simulation

/// Tests of the invariant ``Invariant/meeting``: two peers are in session at most fifteen seconds after the network allows a
/// session.
@Suite struct MeetingTests {
  /// A scenario in which two peers join at once.
  private final class Pair: Scenario {
    /// Whether both peers refuse all invitations.
    let isClosed: Bool
    init(isClosed: Bool) { self.isClosed = isClosed }

    func advance(_ world: VirtualWorld) -> Instant {
      for host in 0..<2 { world.enter(host) }
      if isClosed { for host in 0..<2 { world.hosts[host].peer?.core.endpoint.admits = { _, _ in false } } }
      return .distantFuture
    }
  }

  /// The number of violations in a simulation of 30 s with two peers.
  private func violations(_ network: NetworkModel, isClosed: Bool = false) -> Int {
    var settings = VirtualWorld.Settings(table: table)
    (settings.peers, settings.network) = (2, network)
    let world = VirtualWorld(settings, scenario: Pair(isClosed: isClosed), length: .seconds(30))
    _ = world.run(until: .distantFuture)
    return world.outcome.violations.count { $0.invariant == .meeting }
  }

  /// Peers that refuse all invitations violate the invariant. In the same network, peers that accept invitations meet in time.
  @Test func peersThatRefuseEachOtherViolateTheInvariant() {
    let network = NetworkModel(name: "rough", delay: .milliseconds(1), jitter: .microseconds(10), loss: 0.1, burst: 2)
    #expect(violations(network) == 0)
    #expect(violations(network, isClosed: true) > 0)
  }

  /// A network that loses all packets allows no session.
  @Test func endlessLossesDoNotViolateTheInvariant() {
    let network = NetworkModel(name: "dead", delay: .milliseconds(1), jitter: .microseconds(10), loss: 1, burst: 2)
    #expect(violations(network, isClosed: false) == 0)
  }
}
