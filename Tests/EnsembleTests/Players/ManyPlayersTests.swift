import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble

/// 500 pages at 16 peers, which move between peers while the network is partitioned and peers crash.
@Suite struct ManyPlayersTests {
  /// A page: where it plays, and its base value.
  private struct Page {
    var identity: Identity
    var peer: Int
    var moves: UInt32 = 0
    var energy: UInt8
  }

  /// Moves pages away from a peer that has crashed, or to another peer while the former one still lists them.
  private func move(_ page: inout Page, to peer: Int, _ band: inout VirtualBand) {
    page.moves += 1
    page.peer = peer
    band.command(peer) { [page] in
      $0.join(page.identity, .page, moves: page.moves, at: $1)
      $0.setActivity(page.energy, of: page.identity, at: $1)
    }
  }

  @Test(arguments: UInt64(1)...5, [TotalActivityRule.mean, .sum, .maximum])
  func noPlayerCountsTwiceOrIsLost(seed: UInt64, rule: TotalActivityRule) throws {
    var random = SplitMix(seed: seed)
    // With the rule sum, the energies are so small that the total is below 127.
    var band = VirtualBand(players: 16, seed: seed, activity: Array(repeating: 0, count: 16))
    var pages: [Page] = (0..<500).map { number in
      let energy = rule == .sum ? UInt8(number % 6 == 0 ? 1 : 0) : UInt8(random.next() % 128)
      return Page(identity: Identity(UInt64(1_000_000 + number)), peer: number % 16, energy: energy)
    }
    for n in 0..<16 { band.command(n) { $0.chooseRule(rule, at: $1) } }
    for index in pages.indices {
      let page = pages[index]
      band.command(page.peer) {
        $0.join(page.identity, .page, at: $1)
        $0.setActivity(page.energy, of: page.identity, at: $1)
      }
    }
    band.run(for: .seconds(3))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    var alive = Set(0..<16)
    for round in 0..<4 {
      // In the first rounds, the network is partitioned: half of the followers do not hear the other half. The master hears all of them.
      if round < 2 { band.connected = { $0 == 0 || $1 == 0 || ($0 < 8) == ($1 < 8) } }
      // Then a peer crashes: in the last round the master.
      let crashed = round == 2 ? 5 : round == 3 ? 0 : nil
      if let crashed {
        band.crash(crashed)
        alive.remove(crashed)
      }
      for index in pages.indices where pages[index].peer == crashed || random.next() % 8 == 0 {
        let peers = alive.filter { peer in pages.count { $0.peer == peer } < 60 }.sorted()
        move(&pages[index], to: peers[Int(random.next() % UInt64(peers.count))], &band)
      }
      band.run(for: .seconds(4))
      band.connected = { _, _ in true }
      band.run(for: .seconds(9))
      for n in alive.sorted() {
        let rows = band.players[n].ensemble.playerStatuses().filter { $0.player.kind == .page }
        let places = Dictionary(grouping: rows, by: \.player.identity)
        #expect(rows.count == 500 && places.count == 500, "seed \(seed), round \(round), peer \(n): \(rows.count)")
        for page in pages {
          #expect(places[page.identity]?.first?.peer == band.identity(page.peer), "seed \(seed), round \(round)")
        }
      }
      // The local players have set the activity 0, so they count in the mean. A peer that has crashed counts for five seconds.
      let sum = pages.reduce(0) { $0 + Int($1.energy) }
      let expected = rule.total(count: 500 + alive.count, sum: sum, maximum: pages.map(\.energy).max()!)
      let totals = alive.sorted().map { band.lastTotal(of: $0) }
      #expect(totals.allSatisfy { $0 == expected }, "seed \(seed), round \(round): \(totals), expected \(expected)")
    }
  }
}
