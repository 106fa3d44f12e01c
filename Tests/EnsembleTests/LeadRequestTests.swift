import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// A follower asks its master to offer it the rhythm.
@Suite struct LeadRequestTests {
  /// Creates four players. Player 0 leads a rhythm, and the others follow it.
  private func makePlayingBand(seed: UInt64, loss: Double = 0) throws -> VirtualBand {
    var band = VirtualBand(players: 4, seed: seed, loss: loss)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(6))
    return band
  }

  /// Player `n` asks to lead, or ends its request. The master knows this after at most 200 ms, unless packets are lost.
  private func ask(_ band: inout VirtualBand, _ n: Int, _ asks: Bool = true) throws(CommandError) {
    try band.command(n) { ensemble, now throws(CommandError) in try ensemble.askToLead(asks, at: now) }
    band.run(for: .milliseconds(200))
  }

  /// The players that ask to lead, as player `n` knows it.
  private func asking(_ band: VirtualBand, accordingTo n: Int) -> [Int] {
    let statuses = band.players[n].ensemble.memberStatuses(limit: 64, at: band.localTime(of: n))
    return band.players.indices.filter { other in
      statuses.contains { $0.identity == band.identity(other) && $0.asks }
    }
  }

  /// The number of times that player `n` was told that player `other` asks.
  private func reports(_ band: VirtualBand, to n: Int, of other: Int) -> Int {
    band.players[n].events.count { $0 == .asksToLead(band.identity(other)) }
  }

  @Test(arguments: UInt64(1)...6) func masterIsToldOnceWhoAsks(seed: UInt64) throws {
    var band = try makePlayingBand(seed: seed, loss: seed > 3 ? 0.2 : 0)
    try ask(&band, 2)
    band.run(for: .seconds(5))
    #expect(asking(band, accordingTo: 0) == [2] && reports(band, to: 0, of: 2) == 1, "seed \(seed)")
    #expect(band.players[2].ensemble.asksToLead && !band.players[1].ensemble.asksToLead)
    // The others know nothing of it.
    for n in [1, 2, 3] {
      #expect(asking(band, accordingTo: n).isEmpty)
      #expect(!band.players[n].events.contains { if case .asksToLead = $0 { true } else { false } })
    }
    try ask(&band, 2, false)
    band.run(for: .seconds(2))
    #expect(asking(band, accordingTo: 0).isEmpty && !band.players[2].ensemble.asksToLead, "seed \(seed)")
    try ask(&band, 3)
    try ask(&band, 2)
    band.run(for: .seconds(2))
    #expect(asking(band, accordingTo: 0) == [2, 3], "seed \(seed)")
    #expect(reports(band, to: 0, of: 2) == 2 && reports(band, to: 0, of: 3) == 1, "seed \(seed)")
  }

  @Test func requestIsReportedAtOnce() throws {
    var band = try makePlayingBand(seed: 7)
    try band.command(1) { try $0.askToLead(true, at: $1) }
    // Two presences to a peer are at least 50 ms apart, and the delay of the network is at most 3 ms.
    band.run(for: .milliseconds(60))
    #expect(asking(band, accordingTo: 0) == [1])
  }

  @Test func requestEndsAfter60Seconds() throws {
    var band = try makePlayingBand(seed: 8)
    try ask(&band, 1)
    band.run(for: .seconds(40))
    // A second request lasts for 60 s from now on, and is not reported again.
    try ask(&band, 1)
    band.run(for: .milliseconds(59_700))
    #expect(band.players[1].ensemble.asksToLead && asking(band, accordingTo: 0) == [1])
    band.run(for: .milliseconds(300))
    #expect(!band.players[1].ensemble.asksToLead && asking(band, accordingTo: 0).isEmpty)
    #expect(reports(band, to: 0, of: 1) == 1)
  }

  @Test func requestEndsWhenThePeerTakesTheOfferedRhythm() throws {
    var band = try makePlayingBand(seed: 9)
    try ask(&band, 1)
    try ask(&band, 2)
    // The request of player 2 ends too, because its master changes.
    let identity = band.identity(1)
    try band.command(0) { try $0.offer(to: identity, at: $1) }
    band.run(for: .milliseconds(100))
    #expect(band.players[1].ensemble.asksToLead && band.players[2].ensemble.asksToLead)
    try band.command(1) { try $0.take(at: $1) }
    #expect(!band.players[1].ensemble.asksToLead)
    band.run(for: .seconds(2))
    #expect(band.masters == [1])
    for n in 0..<4 {
      #expect(!band.players[n].ensemble.asksToLead && asking(band, accordingTo: n).isEmpty, "player \(n)")
    }
    #expect(reports(band, to: 1, of: 2) == 0)
    // Under the new master, a new request is possible.
    try ask(&band, 2)
    #expect(asking(band, accordingTo: 1) == [2] && reports(band, to: 1, of: 2) == 1)
  }

  @Test func requestEndsWithTheRhythm() throws {
    var band = try makePlayingBand(seed: 10)
    try ask(&band, 1)
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .idle && !band.players[1].ensemble.asksToLead)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .follower(of: band.identity(0)))
    #expect(!band.players[1].ensemble.asksToLead && asking(band, accordingTo: 0).isEmpty)
  }

  @Test func requestEndsWhenTheMasterIsLost() throws {
    var band = try makePlayingBand(seed: 11)
    let last = try #require(band.successionOrder.last { $0 != 0 })
    try ask(&band, last)
    band.crash(0)
    band.run(for: .seconds(3))
    #expect(band.masters.count == 1 && band.role(last) != .master)
    #expect(!band.players[last].ensemble.asksToLead)
  }

  @Test func onlyFollowersThatCouldTakeTheRhythmAsk() throws {
    var band = VirtualBand(players: 3, seed: 12)
    #expect(throws: CommandError.nothingPlays) { try ask(&band, 1) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(2))
    #expect(throws: CommandError.isMaster) { try ask(&band, 0) }
    band.lead(by: [0])
    #expect(throws: CommandError.ledBy(band.identity(0).description)) { try ask(&band, 1) }
    for n in 0..<3 {
      #expect(!band.players[n].ensemble.asksToLead)
      // There is no request that could end.
      try ask(&band, n, false)
    }
  }

  /// The request is for the master of the claim in the presence. It has no effect on another peer, or after a change of the master.
  @Test func requestUnderAnotherClaimIsIgnored() throws {
    let band = try makePlayingBand(seed: 13)
    let claim = try #require(band.players[0].ensemble.claim)
    for (reported, isAsked) in [
      (claim, true), (nil, false), (Claim(term: claim.term, identity: band.identity(2)), false),
      (Claim(term: claim.term + 1, identity: claim.identity), false),
    ] as [(Claim?, Bool)] {
      var ensemble = band.players[0].ensemble
      _ = ensemble.takeOutputs()
      let presence = Presence(
        identity: band.identity(1), claim: reported, channel: nil, gates: .all, takesOver: true, asksToLead: true)
      for _ in 0..<2 { ensemble.received(presence, from: band.identity(1), at: band.localTime(of: 0)) }
      let events = ensemble.takeOutputs().filter { $0 == .event(.asksToLead(band.identity(1))) }
      #expect(events.count == (isAsked ? 1 : 0), "\(String(describing: reported))")
    }
  }
}
