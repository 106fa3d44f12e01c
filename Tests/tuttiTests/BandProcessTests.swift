import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of complete peers on loopback of which each knows the address of one other only.
@Suite(.serialized, .ownThreads) struct BandProcessTests {
  /// For each peer, the peer to which it connects; nil for the first one.
  @Test(arguments: [[nil, 0, 0, 0], [nil, 0, 1, 2]] as [[Int?]])
  func peersOfAStarAndOfAChainAreOneBand(connections: [Int?]) async throws {
    let folder = try TemporaryFolder()
    var peers: [PeerProcess] = []
    for (number, other) in connections.enumerated() {
      let others = other.map { [peers[$0]] } ?? []
      peers.append(try await PeerProcess("p\(number)", connect: others, ["--audio", "none"], in: folder))
    }
    for peer in peers { try await peer.wait(forPeers: 3) }
    try await waitForChannels(of: peers)
    peers[3].type("start")
    try await peers[3].wait(forRole: "master")
    for peer in peers[..<3] { try await peer.wait(forRole: "follower") }
    // The peer to which the others have connected is killed, and then the master.
    peers[0].child.signal(SIGKILL)
    peers[3].child.signal(SIGKILL)
    let rest = peers[1...2]
    try await rest.first!.child.wait(for: "one successor") {
      let roles = rest.map { peer in peer.events.last { $0.event == "role" }?.role }
      return roles.contains("master") && roles.contains("follower")
    }
    for peer in rest { try await peer.leave() }
  }

  /// Waits until all peers have different channels.
  private func waitForChannels(of peers: [PeerProcess]) async throws {
    try await peers[0].child.wait(for: "different channels") {
      let channels = peers.compactMap { peer in peer.events.last { $0.event == "channel" }?.channel }
      return channels.count == peers.count && Set(channels).count == channels.count
    }
  }
}
