import Ensemble
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing

@testable import Simulation

/// Ensembles of more than sixteen announced peers. In such an ensemble, all peers connect to the two peers with the lowest
/// identities and to the master, and the other peers do not connect to each other. Here the announced peers with the lowest identities do
/// not answer: they were killed but are still announced, or their announcements are false.
@Suite struct SilentAnnouncementTests {
  /// A scenario in which the peers that answer join at the beginning, except the last of them. This late peer joins after 20 s.
  private final class LateJoiner: Scenario {
    /// The hosts that are announced but run no peer, and the hosts that run a peer.
    var (silent, answering): ([Int], [Int]) = ([], [])
    private var hasBegun = false

    func advance(_ world: VirtualWorld) -> Instant {
      let joining = hasBegun ? answering.suffix(1) : answering.dropLast(1)
      for host in joining {
        world.enter(host)
        guard let peer = world.hosts[host].peer else { continue }
        // The discovery of the new peer finds the announcement of each silent host.
        for other in silent {
          let place = InvitationList.Place(SocketAddress(host: other, .control))
          _ = peer.core.invitations.found(
            world.hosts[other].identity, as: "silent \(other)", at: place, isInSession: false, now: peer.now)
        }
      }
      defer { hasBegun = true }
      return hasBegun ? .distantFuture : Instant(nanoseconds: 20_000_000_000)
    }
  }

  /// Fifteen seconds after a peer has joined, it is in session with two peers: those with the lowest identities among the peers that
  /// answer. In all cases, more than sixteen peers are announced. The peers with the lowest identities do not answer: 2 of 20, 16 of 20,
  /// or 24 of 44 peers.
  @Test(arguments: [(2, 18), (16, 4), (24, 20)], UInt64(1)...3) func peersThatDoNotAnswerIsolateNoPeer(
    counts: (silent: Int, answering: Int), seed: UInt64
  ) {
    var settings = VirtualWorld.Settings(table: table)
    // A low probe rate limit makes the simulation faster.
    (settings.peers, settings.seed, settings.probeRateLimit) = (counts.silent + counts.answering, seed, 5)
    let scenario = LateJoiner()
    let world = VirtualWorld(settings, scenario: scenario, length: .seconds(35))
    let byIdentity = world.hosts.indices.sorted { world.hosts[$0].identity < world.hosts[$1].identity }
    scenario.silent = Array(byIdentity.prefix(counts.silent))
    let lowest = byIdentity.dropFirst(counts.silent).prefix(2)
    // Whether the late peer has a high or a low identity depends on the seed.
    scenario.answering = world.hosts.indices.filter { !scenario.silent.contains($0) }
    func expectSessions(of hosts: some Sequence<Int>, with others: some Sequence<Int>, _ label: String) {
      for host in hosts {
        for other in others where other != host {
          let isInSession = world.hosts[host].peer?.core.roster.session(of: world.hosts[other].identity) != nil
          #expect(isInSession, "\(label), host \(host) with host \(other)")
        }
      }
    }
    let late = scenario.answering.last!
    _ = world.run(until: Instant(nanoseconds: 15_000_000_000))
    expectSessions(of: scenario.answering.dropLast(), with: lowest.filter { $0 != late }, "at 15 s")
    _ = world.run(until: .distantFuture)
    expectSessions(of: scenario.answering, with: lowest, "at 35 s")
  }
}
