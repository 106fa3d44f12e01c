import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@Suite struct ChannelTests {
  /// Those that other peers can be told apart by.
  private static let all = Set((2...9).map { $0 } + (11...16).map { $0 })

  private func numbers(_ company: VirtualBand) -> [Int] {
    company.players.compactMap { $0.ensemble.channel?.number }
  }

  private func expectOneEach(_ company: VirtualBand, _ label: String) {
    let numbers = numbers(company)
    #expect(Set(numbers).count == numbers.count && Self.all.isSuperset(of: numbers), "\(label): \(numbers)")
    #expect(numbers.count == min(14, company.players.count), "\(label): \(numbers)")
  }

  @Test func whoIsAloneHasTheFirst() {
    var ensemble = EnsembleState(identity: Identity(9))
    ensemble.advance(to: Instant(nanoseconds: 5))
    #expect(ensemble.channel == nil && ensemble.nextDeadline == Instant(nanoseconds: 5) + .seconds(1))
    ensemble.advance(to: ensemble.nextDeadline)
    #expect(ensemble.channel == Channel(2))
    #expect(ensemble.takeOutputs() == [.event(.channel(Channel(2)))] && ensemble.nextDeadline == .distantFuture)
  }

  @Test(arguments: UInt64(1)...15) func eachHasItsOwnAtOnce(seed: UInt64) {
    var company = VirtualBand(players: 2 + Int(seed % 15), seed: seed, joined: false)
    company.meet()
    company.run(for: .milliseconds(1100), probing: false)
    expectOneEach(company, "seed \(seed)")
    // Nobody had to move.
    #expect(company.players.allSatisfy { $0.channels.count <= 1 }, "seed \(seed)")
  }

  /// Groups that have settled by themselves meet, and a fifth of what they say is lost.
  @Test(arguments: UInt64(1)...30) func channelsAreUniqueWithinTwoSecondsOfMeeting(seed: UInt64) {
    var company = VirtualBand(players: 2 + Int(seed % 15), seed: seed, loss: 0.2, joined: false)
    let groups = 1 + Int(seed % 4)
    company.connected = { $0 % groups == $1 % groups }
    let pairs = company.players.indices.flatMap { a in company.players.indices.map { (a, $0) } }.filter { $0 < $1 }
    for (a, b) in pairs where a % groups == b % groups { company.meet(a, b) }
    company.run(for: .seconds(3), probing: false)
    company.connected = { _, _ in true }
    for (a, b) in pairs where a % groups != b % groups { company.meet(a, b) }
    company.run(for: .seconds(2), probing: false)
    expectOneEach(company, "seed \(seed)")
    let settled = numbers(company)
    company.run(for: .seconds(1), probing: false)
    #expect(numbers(company) == settled, "seed \(seed)")
    #expect(company.players.allSatisfy { $0.doubts.isEmpty }, "seed \(seed)")
  }

  /// With all that is known told, everybody moves at most once.
  @Test(arguments: UInt64(1)...10) func oneExchangeSettlesIt(seed: UInt64) {
    var company = VirtualBand(players: 12, seed: seed, joined: false)
    company.delay = 1_000_000...1_000_000
    for (a, b) in [(0, 6), (6, 12)].flatMap({ range in
      (range.0..<range.1).flatMap { a in (range.0..<range.1).map { (a, $0) } }.filter { $0 < $1 }
    }) {
      company.meet(a, b)
    }
    company.run(for: .seconds(3), probing: false)
    let before = company.players.map(\.channels.count)
    for a in 0..<6 { for b in 6..<12 { company.meet(a, b) } }
    company.run(for: .milliseconds(60), probing: false)
    expectOneEach(company, "seed \(seed)")
    for (player, count) in zip(company.players, before) {
      #expect(player.channels.count <= count + 1, "seed \(seed): \(player.channels)")
    }
  }

  @Test func ofFortyFourteenHaveChannelsAndAllRest() {
    var company = VirtualBand(players: 40, seed: 7, joined: false)
    company.meet()
    company.run(for: .seconds(3), probing: false)
    expectOneEach(company, "forty")
    let settled = company.players.map(\.ensemble.channel)
    company.run(for: .seconds(3), probing: false)
    #expect(company.players.map(\.ensemble.channel) == settled)
    // One that leaves makes room for one.
    let leaver = settled.firstIndex { $0 != nil }!
    for n in company.players.indices where n != leaver { company.part(leaver, n) }
    company.run(for: .seconds(2), probing: false)
    let changed = company.players.indices.filter { company.players[$0].ensemble.channel != settled[$0] }
    #expect(changed.count == 1 && company.players[changed[0]].ensemble.channel == settled[leaver])
  }

  @Test(arguments: UInt64(1)...10) func aNewcomerTakesNobodysChannel(seed: UInt64) {
    var company = VirtualBand(players: 6, seed: seed, joined: false)
    for a in 0..<5 { for b in 0..<a { company.meet(a, b) } }
    company.run(for: .seconds(2), probing: false)
    let settled = company.players[..<5].map(\.ensemble.channel)
    // Begins now, whatever its identity.
    company.players[5].ensemble = EnsembleState(identity: company.identity(5))
    company.players[5].channels = []
    for n in 0..<5 { company.meet(n, 5) }
    company.run(for: .seconds(2), probing: false)
    expectOneEach(company, "seed \(seed)")
    #expect(company.players[..<5].map(\.ensemble.channel) == settled, "seed \(seed)")
    #expect(company.players[0].ensemble.owner(of: company.players[5].ensemble.channel!) == company.identity(5))
  }

  /// The lowest identity goes after the channel that the highest has, again and again.
  @Test func whoChangesAllTheTimeIsLeftOutUntilItIsStill() {
    var company = VirtualBand(players: 3, seed: 4, joined: false)
    company.meet()
    let pest = Identity(1)
    let victim = 2
    company.players[victim].ensemble.joined(pest, at: company.own(victim))
    for _ in 0..<100 {
      company.run(for: .milliseconds(100), probing: false)
      say(company.players[victim].ensemble.channel, by: pest, to: victim, &company)
    }
    let player = company.players[victim]
    #expect(player.doubts == [.warning(pest, .changesChannelTooOften)])
    #expect((6...9).contains(player.channels.count), "\(player.channels)")
    expectOneEach(company, "pest")
    // Still for ten seconds: it is heeded again.
    let wish = player.ensemble.channel
    for _ in 0..<21 {
      say(wish, by: pest, to: victim, &company)
      company.run(for: .milliseconds(500), probing: false)
    }
    #expect(company.players[victim].ensemble.channel != wish)
    #expect(company.players[victim].doubts.count == 1)
  }

  /// Whoever is in front and does not take the channel that is free for it does not keep it from the others for long.
  @Test func aChannelNobodyTakesGoesToAnother() {
    var ensemble = EnsembleState(identity: Identity(100))
    var now = Instant(nanoseconds: 0)
    ensemble.advance(to: now)
    let others = (1...14).map { Identity(UInt64($0)) }
    for other in others { ensemble.joined(other, at: now) }
    for _ in 0..<30 {
      for (n, other) in others.enumerated() {
        let channel = n < 13 ? Channel(Self.all.sorted()[n]) : nil
        let presence = Presence(identity: other, claim: nil, channel: channel, gates: .all, takesOver: false)
        ensemble.received(presence, from: other, at: now)
      }
      now = now + .milliseconds(100)
      ensemble.advance(to: now)
    }
    #expect(ensemble.channel == Channel(16))
  }

  private func say(_ channel: Channel?, by peer: Identity, to n: Int, _ company: inout VirtualBand) {
    let presence = Presence(identity: peer, claim: nil, channel: channel, gates: .all, takesOver: false)
    company.command(n) { $0.received(presence, from: peer, at: $1) }
  }
}
