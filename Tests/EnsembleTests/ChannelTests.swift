import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// The claims of peers to MIDI channels. If several peers claim the same channel, the one with the lowest identity keeps it. Claims do not
/// depend on the clocks of other peers, so most tests run without clock probes (`probing: false`).
@Suite struct ChannelTests {
  /// The channels that peers may claim: all except channel 1, which carries activity, and channel 10, which carries the drums.
  private static let claimable = Set((2...9).map { $0 } + (11...16).map { $0 })

  private func channelNumbers(_ band: VirtualBand) -> [Int] {
    band.players.compactMap { $0.ensemble.channel?.number }
  }

  /// Expects that no two players have the same channel, and that as many players as possible have one of the 14 claimable
  /// channels.
  private func expectUniqueChannels(_ band: VirtualBand, _ label: String) {
    let numbers = channelNumbers(band)
    #expect(Set(numbers).count == numbers.count && Self.claimable.isSuperset(of: numbers), "\(label): \(numbers)")
    #expect(numbers.count == min(14, band.players.count), "\(label): \(numbers)")
  }

  @Test func peerWithoutOtherPeersClaimsChannel2AfterOneSecond() {
    var ensemble = EnsembleState(identity: Identity(9))
    ensemble.advance(to: Instant(nanoseconds: 5))
    #expect(ensemble.channel == nil && ensemble.nextDeadline == Instant(nanoseconds: 5) + .seconds(1))
    ensemble.advance(to: ensemble.nextDeadline)
    #expect(ensemble.channel == Channel(2))
    #expect(ensemble.takeOutputs() == [.event(.channel(Channel(2)))] && ensemble.nextDeadline == .distantFuture)
  }

  @Test(arguments: UInt64(1)...15) func peersThatStartTogetherClaimDifferentChannels(seed: UInt64) {
    var band = VirtualBand(players: 2 + Int(seed % 15), seed: seed, joined: false)
    band.joinAll()
    // A peer listens for one second before its first claim.
    band.run(for: .milliseconds(1100), probing: false)
    expectUniqueChannels(band, "seed \(seed)")
    // No player changes its first claim.
    #expect(band.players.allSatisfy { $0.channels.count <= 1 }, "seed \(seed)")
  }

  /// Up to four groups, each with unique channels, join each other. One packet in five is lost.
  @Test(arguments: UInt64(1)...30) func channelsAreUniqueTwoSecondsAfterGroupsJoin(seed: UInt64) {
    var band = VirtualBand(players: 2 + Int(seed % 15), seed: seed, loss: 0.2, joined: false)
    let groups = 1 + Int(seed % 4)
    band.connected = { $0 % groups == $1 % groups }
    let pairs = band.players.indices.flatMap { a in band.players.indices.map { (a, $0) } }.filter { $0 < $1 }
    for (a, b) in pairs where a % groups == b % groups { band.joinEachOther(a, b) }
    band.run(for: .seconds(3), probing: false)
    band.connected = { _, _ in true }
    for (a, b) in pairs where a % groups != b % groups { band.joinEachOther(a, b) }
    band.run(for: .seconds(2), probing: false)
    expectUniqueChannels(band, "seed \(seed)")
    let settled = channelNumbers(band)
    band.run(for: .seconds(1), probing: false)
    #expect(channelNumbers(band) == settled, "seed \(seed)")
    #expect(band.players.allSatisfy { $0.warnings.isEmpty }, "seed \(seed)")
  }

  /// Two groups of six players join. When all claims are known, each player moves at most once.
  @Test(arguments: UInt64(1)...10) func oneExchangeWithoutLossResolvesAllConflicts(seed: UInt64) {
    var band = VirtualBand(players: 12, seed: seed, joined: false)
    band.delay = 1_000_000...1_000_000
    for group in [0..<6, 6..<12] {
      for a in group { for b in group where a < b { band.joinEachOther(a, b) } }
    }
    band.run(for: .seconds(3), probing: false)
    let countsBefore = band.players.map(\.channels.count)
    for a in 0..<6 { for b in 6..<12 { band.joinEachOther(a, b) } }
    // The claims arrive after 1 ms. A player waits another 50 ms for further claims before it moves.
    band.run(for: .milliseconds(60), probing: false)
    expectUniqueChannels(band, "seed \(seed)")
    for (player, count) in zip(band.players, countsBefore) {
      #expect(player.channels.count <= count + 1, "seed \(seed): \(player.channels)")
    }
  }

  @Test func fourteenOfFortyPeersHaveStableChannels() {
    var band = VirtualBand(players: 40, seed: 7, joined: false)
    band.joinAll()
    band.run(for: .seconds(3), probing: false)
    expectUniqueChannels(band, "forty players")
    let settled = band.players.map(\.ensemble.channel)
    band.run(for: .seconds(3), probing: false)
    #expect(band.players.map(\.ensemble.channel) == settled)
    // When a player leaves, one other player gets its channel.
    let leaver = settled.firstIndex { $0 != nil }!
    for n in band.players.indices where n != leaver { band.endSession(leaver, n) }
    band.run(for: .seconds(2), probing: false)
    let changed = band.players.indices.filter { band.players[$0].ensemble.channel != settled[$0] }
    #expect(changed.count == 1 && band.players[changed[0]].ensemble.channel == settled[leaver])
  }

  @Test(arguments: UInt64(1)...10) func newPeerClaimsNoChannelInUse(seed: UInt64) {
    var band = VirtualBand(players: 6, seed: seed, joined: false)
    for a in 0..<5 { for b in 0..<a { band.joinEachOther(a, b) } }
    band.run(for: .seconds(2), probing: false)
    let settled = band.players[..<5].map(\.ensemble.channel)
    // Player 5 starts only now. Its identity may be the lowest one.
    band.players[5].ensemble = EnsembleState(identity: band.identity(5))
    band.players[5].channels = []
    for n in 0..<5 { band.joinEachOther(n, 5) }
    band.run(for: .seconds(2), probing: false)
    expectUniqueChannels(band, "seed \(seed)")
    #expect(band.players[..<5].map(\.ensemble.channel) == settled, "seed \(seed)")
    #expect(band.players[0].ensemble.owner(of: band.players[5].ensemble.channel!) == band.identity(5))
  }

  /// The peer with the lowest identity always claims the present channel of one player.
  @Test func peerThatKeepsChangingItsClaimIsIgnoredUntilItIsStable() {
    var band = VirtualBand(players: 3, seed: 4, joined: false)
    band.joinAll()
    let intruder = Identity(1)
    let victim = 2
    band.players[victim].ensemble.joined(intruder, at: band.localTime(of: victim))
    for _ in 0..<100 {
      band.run(for: .milliseconds(100), probing: false)
      reportClaim(of: band.players[victim].ensemble.channel, by: intruder, to: victim, &band)
    }
    let player = band.players[victim]
    #expect(player.warnings == [.warning(intruder, .changesChannelTooOften)])
    // A peer is ignored after its ninth change within ten seconds. Until then, the victim moves away from the channels that the intruder
    // claims, so it changes its channel at most about nine times.
    #expect((6...9).contains(player.channels.count), "\(player.channels)")
    expectUniqueChannels(band, "intruder")
    // After ten seconds without a change, the claim of the intruder counts again.
    let claimed = player.ensemble.channel
    // 21 reports of the same claim in 10.5 s.
    for _ in 0..<21 {
      reportClaim(of: claimed, by: intruder, to: victim, &band)
      band.run(for: .milliseconds(500), probing: false)
    }
    #expect(band.players[victim].ensemble.channel != claimed)
    #expect(band.players[victim].warnings.count == 1)
  }

  /// The free channels are for the peers without a channel, in the order of their identities. Here the only free channel is for a peer
  /// with a lower identity, which does not claim it. After a second, the local peer claims it.
  @Test func freeChannelThatALowerIdentityDoesNotClaimIsClaimed() {
    var ensemble = EnsembleState(identity: Identity(100))
    var now = Instant(nanoseconds: 0)
    ensemble.advance(to: now)
    let others = (1...14).map { Identity(UInt64($0)) }
    for other in others { ensemble.joined(other, at: now) }
    // For three seconds, thirteen of the fourteen others claim a channel each. The last of them claims none.
    for _ in 0..<30 {
      for (n, other) in others.enumerated() {
        let channel = n < 13 ? Channel(Self.claimable.sorted()[n]) : nil
        let presence = Presence(identity: other, claim: nil, channel: channel, gates: .all, takesOver: false)
        ensemble.received(presence, from: other, at: now)
      }
      now = now + .milliseconds(100)
      ensemble.advance(to: now)
    }
    // Channel 16 is the only free one.
    #expect(ensemble.channel == Channel(16))
  }

  /// Delivers a presence of `peer` that claims `channel` to player `n`.
  private func reportClaim(of channel: Channel?, by peer: Identity, to n: Int, _ band: inout VirtualBand) {
    let presence = Presence(identity: peer, claim: nil, channel: channel, gates: .all, takesOver: false)
    band.command(n) { $0.received(presence, from: peer, at: $1) }
  }
}
