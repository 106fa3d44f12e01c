import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// Players: pages and devices of a peer beside its local player.
@Suite struct PlayerTests {
  /// A band of peers. Peer n has `pages[n]` pages, whose identities are 1000 * (n + 1) + 0, 1, 2...
  private func band(pages: [Int], seed: UInt64 = 1, rule: TotalActivityRule? = nil, activity: [UInt8?]? = nil) throws
    -> VirtualBand
  {
    var band = VirtualBand(players: pages.count, seed: seed, activity: activity ?? pages.map { _ in nil })
    for (peer, count) in pages.enumerated() {
      for page in 0..<count {
        band.command(peer) { $0.join(Identity(UInt64(1000 * (peer + 1) + page)), .page, at: $1) }
      }
    }
    if let rule { for n in pages.indices { band.command(n) { $0.chooseRule(rule, at: $1) } } }
    band.run(for: .seconds(3))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    return band
  }

  private func page(_ peer: Int, _ number: Int) -> Identity { Identity(UInt64(1000 * (peer + 1) + number)) }

  /// The rows of all players as peer `n` sees them.
  private func rows(_ band: VirtualBand, of n: Int) -> [Identity: PlayerStatus] {
    Dictionary(uniqueKeysWithValues: band.players[n].ensemble.playerStatuses().map { ($0.player.identity, $0) })
  }

  @Test func everyPeerListsEveryPlayerAndTheTotalIsTheSum() throws {
    var band = try band(pages: [0, 3])
    for number in 0..<3 {
      band.command(1) { [page = page(1, number)] in $0.setActivity(40, of: page, at: $1) }
    }
    band.run(for: .seconds(4))
    for n in 0..<2 {
      let rows = rows(band, of: n)
      #expect(rows.count == 5)
      for number in 0..<3 {
        #expect(rows[page(1, number)]?.energy == 40 && rows[page(1, number)]?.peer == band.identity(1))
      }
      #expect(Set(rows.values.map(\.player.sign)).count == 5)
      #expect(Set(rows.values.compactMap(\.channel)).count == 5, "\(rows.values.map(\.channel?.number))")
      #expect(band.lastTotal(of: n) == 120)
    }
    #expect(band.players[1].ensemble.activity == 120)
    band.command(1) { [page = page(1, 0)] in $0.leave(page, at: $1) }
    band.run(for: .seconds(4))
    #expect(rows(band, of: 0).count == 4 && band.lastTotal(of: 0) == 80)
  }

  /// Three pages at 40, 90 and 20 and a local player that has not taken part.
  @Test(arguments: TotalActivityRule.allCases) func rulesCountPlayers(rule: TotalActivityRule) throws {
    var band = try band(pages: [0, 2, 1], rule: rule)
    let levels: [(Int, Int, UInt8)] = [(1, 0, 40), (1, 1, 90), (2, 0, 20)]
    for (peer, number, level) in levels {
      band.command(peer) { [page = page(peer, number)] in $0.setActivity(level, of: page, at: $1) }
    }
    band.run(for: .seconds(4))
    // The mean of the three pages and of the master, which has no page.
    let expected: UInt8 = [.sum: 127, .mean: (150 + 2) / 4, .maximum: 90][rule]!
    #expect((0..<3).map { band.lastTotal(of: $0) } == [expected, expected, expected])
  }

  /// The rule is the mean if the rhythm starts with more than eight players, and does not change while it plays.
  @Test func ruleOfManyPlayersIsTheMean() throws {
    var few = try band(pages: [3, 4])
    #expect(few.players.map(\.ensemble.totalActivityRule) == [.sum, .sum])
    for number in 4..<9 { few.command(1) { [page = page(1, number)] in $0.join(page, .page, at: $1) } }
    few.run(for: .seconds(3))
    #expect(few.players.map(\.ensemble.totalActivityRule) == [.sum, .sum])
    // The rule remains after a takeover, although the new master would start with the mean.
    few.crash(0)
    few.run(for: .seconds(6))
    #expect(few.role(1) == .master && few.players[1].ensemble.totalActivityRule == .sum)
    let many = try band(pages: [5, 5])
    #expect(many.players.map(\.ensemble.totalActivityRule) == [.mean, .mean])
  }

  @Test func energyFallsBackToTheBaseValue() throws {
    var band = try band(pages: [1])
    band.command(0) { [page = page(0, 0)] in $0.setActivity(70, of: page, at: $1) }
    band.run(for: .seconds(3))
    band.command(0) { [page = page(0, 0)] in $0.moved(110, by: page, at: $1) }
    band.run(for: .seconds(2))
    #expect(band.players[0].ensemble.energy(of: page(0, 0)) == 110)
    band.command(0) { [page = page(0, 0)] in $0.moved(0, by: page, at: $1) }
    band.run(for: .seconds(2))
    #expect(band.players[0].ensemble.energy(of: page(0, 0)) == 70 && band.players[0].ensemble.activity == 70)
  }

  /// A tap of an untouched page adds to the moderate total of 56, which returns afterwards.
  @Test func tapOfAnUntouchedPageKeepsTheModerateTotal() throws {
    var band = try band(pages: [1, 0])
    #expect(band.lastTotal(of: 1) == 56)
    band.command(0) { [page = page(0, 0)] in $0.moved(30, by: page, at: $1) }
    band.run(for: .seconds(3))
    #expect(band.lastTotal(of: 1) == 86)
    band.command(0) { [page = page(0, 0)] in $0.moved(0, by: page, at: $1) }
    band.run(for: .seconds(4))
    #expect(band.lastTotal(of: 0) == 56 && band.lastTotal(of: 1) == 56)
  }

  /// The page continues at another peer, while its former peer still lists it.
  @Test func pageThatMovesCountsOnce() throws {
    var band = try band(pages: [0, 1, 0])
    let page = page(1, 0)
    band.command(1) { $0.setActivity(50, of: page, at: $1) }
    band.run(for: .seconds(4))
    #expect(band.lastTotal(of: 0) == 50)
    // Peers 1 and 2 do not hear each other. The master hears both.
    band.connected = { !($0 != 0 && $1 != 0) }
    band.run(for: .milliseconds(500))
    band.command(2) {
      $0.join(page, .page, moves: 1, at: $1)
      $0.setActivity(50, of: page, at: $1)
    }
    band.run(for: .seconds(4))
    #expect(band.lastTotal(of: 0) == 50 && rows(band, of: 0)[page]?.peer == band.identity(2))
    #expect(band.players[1].ensemble.localPlayer(page) != nil)
    band.connected = { _, _ in true }
    band.run(for: .seconds(4))
    #expect(band.players[1].ensemble.localPlayer(page) == nil && band.players[1].events.contains(.playerMoved(page)))
    for n in 0..<3 { #expect(rows(band, of: n)[page]?.peer == band.identity(2) && rows(band, of: n).count == 4) }
    #expect(band.lastTotal(of: 0) == 50)
  }

  @Test func masterMutesOnePageOfAPeer() throws {
    var band = try band(pages: [1, 2])
    try band.command(0) { try $0.mute(true, Identity(2001), at: $1) }
    try band.command(0) { try $0.mute(true, Identity(1000), at: $1) }
    band.run(for: .seconds(1))
    let follower = band.players[1].ensemble
    #expect(follower.isMuted(page(1, 1)) && !follower.isMuted(page(1, 0)) && !follower.isMuted)
    #expect(band.players[0].ensemble.isMuted(page(0, 0)) && !band.players[0].ensemble.isMuted)
    #expect(rows(band, of: 1)[page(1, 1)]?.isMuted == true && rows(band, of: 0)[page(1, 1)]?.isMuted == true)
    try band.command(0) { try $0.mute(false, Identity(2001), at: $1) }
    band.run(for: .seconds(1))
    #expect(!band.players[1].ensemble.isMuted(page(1, 1)))
  }

  /// Fourteen channels, of which channel 16 is shared. A page yields to a local player that comes later.
  @Test func pagesYieldTheirChannelsToLocalPlayers() throws {
    let band = try band(pages: [20, 0])
    func channels(_ n: Int) -> [Int] {
      band.players[n].ensemble.playerStatuses().filter { $0.player.kind == .page }.compactMap(\.channel?.number)
        .sorted()
    }
    let local = band.players.map { $0.ensemble.channel!.number }
    #expect(channels(0).count == 11 && Set(channels(0) + local).count == 13 && !channels(0).contains(16))
    #expect(channels(0) == channels(1))
    #expect(band.players[1].ensemble.player(on: Channel(channels(1)[0])!, of: band.identity(0)) != band.identity(0))
    #expect(band.players[1].ensemble.player(on: Channel(16)!, of: band.identity(0)) == band.identity(0))
  }

  @Test func localPlayerThatJoinsTakesTheChannelOfAPage() throws {
    var band = VirtualBand(players: 2, seed: 3, joined: false)
    band.connected = { _, _ in false }
    for number in 0..<20 { band.command(0) { $0.join(Identity(UInt64(1000 + number)), .page, at: $1) } }
    band.run(for: .seconds(3))
    band.connected = { _, _ in true }
    band.joinEachOther(0, 1)
    band.run(for: .seconds(3))
    let all = (0..<2).map { n in band.players[n].ensemble.playerStatuses().compactMap(\.channel?.number).sorted() }
    #expect(Set(all[0]).count == all[0].count && all[0] == all[1], "\(all)")
    #expect(band.players.allSatisfy { $0.ensemble.channel != nil })
  }

  @Test func hostileListIsRefusedOnce() throws {
    var band = try band(pages: [0, 0])
    let sender = band.identity(1)
    let octets = [UInt8](repeating: 1, count: 100)
    let digest = DocumentDigest(of: octets)
    let rejected = band.players[0].ensemble.rejected
    band.command(0) { ensemble, now in
      for _ in 0..<3 {
        let presence = Presence(
          identity: sender, claim: nil, channel: nil, gates: .all, takesOver: true,
          players: PlayerSummary(list: digest))
        ensemble.received(presence, from: sender, at: now)
        ensemble.received(
          .documentPart(DocumentPart(.players, digest, index: 0, of: 1, octets: octets)), from: sender, at: now)
      }
    }
    #expect(band.players[0].ensemble.rejected == rejected + 1)
  }

  @Test func sixtyFourPlayersAreTheLimit() throws {
    var band = try band(pages: [0])
    func join(_ number: Int, named name: String? = nil) -> Bool {
      var isAdded = false
      band.command(0) { isAdded = $0.join(Identity(UInt64(number)), .page, named: name, at: $1) }
      return isAdded
    }
    for number in 0..<63 { #expect(join(1000 + number)) }
    #expect(!join(5000) && join(1000, named: "again"))
    #expect(band.players[0].ensemble.localPlayers.count == 64)
  }
}
