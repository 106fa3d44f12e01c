import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The rhythm goes from one to another while both are there.
@Suite struct HandoverTests {
  private func band(seed: UInt64, players: Int = 4, loss: Double = 0) throws -> VirtualBand {
    var band = VirtualBand(players: players, seed: seed, loss: loss)
    for n in band.players.indices { band.players[n].skew = Int64(n) * 20 - 30 }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(12))
    return band
  }

  private func expectUnheard(_ band: VirtualBand, after instant: Instant, _ seed: UInt64) {
    for n in band.players.indices where band.players[n].isAlive {
      #expect(band.faults(n) == [], "seed \(seed)")
      #expect(!band.players[n].continues.dropFirst().contains(false), "seed \(seed), player \(n)")
      let after = band.heard(n).filter { $0.at > instant }
      #expect(after.count > 10, "seed \(seed), player \(n)")
      for (a, b) in zip(after, after.dropFirst()) {
        let off = b.at - a.at - .milliseconds(125)
        #expect(off.magnitude < .microseconds(700), "seed \(seed), player \(n), \(b.step): \(off.microseconds) us")
      }
    }
  }

  @Test(arguments: UInt64(1)...8) func whomItIsOfferedToTakesIt(seed: UInt64) throws {
    var band = try band(seed: seed, loss: seed > 4 ? 0.2 : 0)
    let (heir, begin) = (band.identity(2), band.now)
    try band.command(0) { try $0.offer(to: heir, at: $1) }
    band.run(for: .milliseconds(500))
    #expect(band.players[2].events.filter { $0 == .offered(by: band.identity(0)) }.count == 1, "told once")
    for n in [1, 3] {
      #expect(!band.players[n].events.contains(.offered(by: band.identity(0))))
      #expect(throws: CommandError.nothingOffered) { try band.command(n) { try $0.take(at: $1) } }
    }
    #expect(band.masters == [0])
    try band.command(2) { try $0.take(at: $1) }
    #expect(band.players[2].events.contains(.tookOver(from: band.identity(0))))
    band.run(for: .seconds(1))
    #expect(band.masters == [2])
    #expect(band.players[0].events.contains(.handedOver(to: heir)))
    #expect(!band.players[0].events.contains(.outranked(by: heir)))
    band.run(for: .seconds(4))
    for n in [0, 1, 3] { #expect(band.role(n) == .follower(of: heir), "seed \(seed)") }
    expectUnheard(band, after: begin, seed)
  }

  /// Offered to all; two take it within the time a message takes.
  @Test(arguments: UInt64(1)...12) func ofTwoThatTakeItOneHasIt(seed: UInt64) throws {
    var band = try band(seed: seed)
    let begin = band.now
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .seconds(2))
    try band.command(1) { try $0.take(at: $1) }
    try band.command(3) { try $0.take(at: $1) }
    band.run(for: .seconds(5))
    #expect(band.masters == [band.identity(1) < band.identity(3) ? 1 : 3], "seed \(seed)")
    expectUnheard(band, after: begin, seed)
    // It is taken: nobody has anything to take any more.
    #expect(throws: CommandError.nothingOffered) { try band.command(2) { try $0.take(at: $1) } }
  }

  @Test func anOfferIsGoodForHalfAMinute() throws {
    var band = try band(seed: 1, players: 2)
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .milliseconds(29_900))
    var early = band.players[1].ensemble
    try early.take(at: band.own(1))
    // It is told again for a second.
    band.run(for: .milliseconds(1_200))
    #expect(throws: CommandError.nothingOffered) { try band.command(1) { try $0.take(at: $1) } }
  }

  @Test func anOfferOfAnotherRhythmIsNone() throws {
    let band = try band(seed: 2, players: 3)
    let claim = try #require(band.players[0].ensemble.claim)
    let now = band.own(1)
    func offers(_ offer: Offer, from sender: Int) -> Bool {
      var ensemble = band.players[1].ensemble
      _ = ensemble.takeOutputs()
      ensemble.received(systemExclusive: offer.systemExclusive, from: band.identity(sender), at: now)
      let isTold = ensemble.takeOutputs().contains(.event(.offered(by: band.identity(sender))))
      let isGood = (try? ensemble.take(at: now)) != nil
      #expect(isTold == isGood && ensemble.role == (isGood ? .master : .follower(of: band.identity(0))))
      return isGood
    }
    #expect(offers(Offer(claim: claim, isParting: false), from: 0))
    var ensemble = band.players[1].ensemble
    ensemble.received(Offer(claim: claim, isParting: true), from: band.identity(2), at: now)
    #expect(ensemble.rejected == 1)
    // In another's name; a stranger's own; under an old claim, or one to come.
    #expect(!offers(Offer(claim: claim, isParting: false), from: 2))
    for isParting in [false, true] {
      #expect(!offers(Offer(claim: Claim(term: 9, identity: band.identity(2)), isParting: isParting), from: 2))
      for term in [0, 2] as [UInt32] {
        #expect(!offers(Offer(claim: Claim(term: term, identity: band.identity(0)), isParting: isParting), from: 0))
      }
    }
  }

  @Test func whatCannotBeOfferedIsRefused() throws {
    var band = try band(seed: 3, players: 3)
    let first = band.identity(1)
    #expect(throws: CommandError.belongsTo(band.identity(0))) { try band.command(1) { try $0.offer(to: nil, at: $1) } }
    #expect(throws: CommandError.isAbsent(Identity(77))) {
      try band.command(0) { try $0.offer(to: Identity(77), at: $1) }
    }
    #expect(throws: CommandError.alreadyPlaying) { try band.command(0) { try $0.take(at: $1) } }
    band.players[0].ensemble.gates.set(.rhythm, open: false, for: first.description)
    #expect(throws: CommandError.gateIsClosed(first)) { try band.command(0) { try $0.offer(to: first, at: $1) } }
    // To all means to those whom it would follow.
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .milliseconds(100))
    #expect(!band.players[1].events.contains(.offered(by: band.identity(0))))
    #expect(band.players[2].events.contains(.offered(by: band.identity(0))))
  }

  @Test func nobodyTakesARhythmThatHasEnded() throws {
    var band = try band(seed: 4, players: 2)
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    #expect(throws: CommandError.nothingOffered) { try band.command(1) { try $0.take(at: $1) } }
  }

  @Test(arguments: UInt64(1)...8) func aMasterThatPartsHandsItOverAtOnce(seed: UInt64) throws {
    var band = try band(seed: seed, loss: seed > 4 ? 0.2 : 0)
    let (heir, begin) = (try #require(band.line.first { $0 != 0 }), band.now)
    var stays = false
    band.command(0) { stays = $0.part(at: $1) }
    #expect(stays)
    band.run(for: .milliseconds(100))
    #expect(band.masters == [heir] && band.role(0) == .follower(of: band.identity(heir)), "seed \(seed)")
    band.leave(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [heir], "seed \(seed)")
    expectUnheard(band, after: begin, seed)
  }

  @Test func aMasterThatPartsAloneOrWantsAnEndStopsIt() throws {
    var band = try band(seed: 5)
    band.players[0].ensemble.masterLoss = .stop
    var stays = true
    band.command(0) { stays = $0.part(at: $1) }
    #expect(!stays)
    band.run(for: .milliseconds(500))
    for n in 0..<4 { #expect(band.role(n) == .idle) }
    var alone = try self.band(seed: 6, players: 1)
    alone.command(0) { stays = $0.part(at: $1) }
    alone.run(for: .milliseconds(200))
    #expect(!stays && alone.role(0) == .idle)
    alone.command(0) { stays = $0.part(at: $1) }
    #expect(!stays)
  }
}
