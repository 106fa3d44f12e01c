import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The handover of a rhythm while both the old and the new master are in session.
@Suite struct HandoverTests {
  /// Creates players whose clocks have a skew of -30, -10, 10 ppm and so on. Player 0 starts a rhythm, and 12 s pass.
  private func makePlayingBand(seed: UInt64, players: Int = 4, loss: Double = 0) throws -> VirtualBand {
    var band = VirtualBand(players: players, seed: seed, loss: loss)
    for n in band.players.indices { band.players[n].skew = Int64(n) * 20 - 30 }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(12))
    return band
  }

  /// Expects that no player misses or repeats a step, that each run continues the run before it, and that all intervals
  /// between steps after `instant` differ from 125 ms (a step at 120 BPM) by less than 0.7 ms.
  private func expectInaudibleHandover(_ band: VirtualBand, after instant: Instant, seed: UInt64) {
    for n in band.players.indices where band.players[n].isAlive {
      #expect(band.faults(n) == [], "seed \(seed)")
      #expect(!band.players[n].continues.dropFirst().contains(false), "seed \(seed), player \(n)")
      let steps = band.soundedSteps(of: n).filter { $0.at > instant }
      #expect(steps.count > 10, "seed \(seed), player \(n)")
      for (a, b) in zip(steps, steps.dropFirst()) {
        let error = b.at - a.at - .milliseconds(125)
        #expect(error.magnitude < .microseconds(700), "seed \(seed), player \(n), \(b.step): \(error.microseconds) us")
      }
    }
  }

  @Test(arguments: UInt64(1)...8) func peerTakesTheRhythmThatItIsOffered(seed: UInt64) throws {
    var band = try makePlayingBand(seed: seed, loss: seed > 4 ? 0.2 : 0)
    let (successor, start) = (band.identity(2), band.now)
    try band.command(0) { try $0.offer(to: successor, at: $1) }
    band.run(for: .milliseconds(500))
    #expect(
      band.players[2].events.filter { $0 == .offered(by: band.identity(0)) }.count == 1, "the offer is reported once")
    for n in [1, 3] {
      #expect(!band.players[n].events.contains(.offered(by: band.identity(0))))
      #expect(throws: CommandError.nothingOffered) { try band.command(n) { try $0.take(at: $1) } }
    }
    #expect(band.masters == [0])
    try band.command(2) { try $0.take(at: $1) }
    #expect(band.players[2].events.contains(.tookOver(from: band.identity(0))))
    band.run(for: .seconds(1))
    #expect(band.masters == [2])
    #expect(band.players[0].events.contains(.handedOver(to: successor)))
    #expect(!band.players[0].events.contains { if case .outranked = $0 { true } else { false } })
    band.run(for: .seconds(4))
    for n in [0, 1, 3] { #expect(band.role(n) == .follower(of: successor), "seed \(seed)") }
    expectInaudibleHandover(band, after: start, seed: seed)
  }

  /// The rhythm is offered to all peers. Two of them take it within the network delay.
  @Test(arguments: UInt64(1)...12) func lowerIdentityWinsIfTwoPeersTakeTheRhythm(seed: UInt64) throws {
    var band = try makePlayingBand(seed: seed)
    let start = band.now
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .seconds(2))
    try band.command(1) { try $0.take(at: $1) }
    try band.command(3) { try $0.take(at: $1) }
    band.run(for: .seconds(5))
    #expect(band.masters == [band.identity(1) < band.identity(3) ? 1 : 3], "seed \(seed)")
    expectInaudibleHandover(band, after: start, seed: seed)
    // The offer is not valid under the new claim.
    #expect(throws: CommandError.nothingOffered) { try band.command(2) { try $0.take(at: $1) } }
  }

  @Test func offerIsValidFor30Seconds() throws {
    var band = try makePlayingBand(seed: 1, players: 2)
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .milliseconds(29_900))
    // The offer is still valid, as a copy of the peer shows.
    var copy = band.players[1].ensemble
    try copy.take(at: band.localTime(of: 1))
    // The offer was repeated for a second, and each repeat renewed it. So it expires after 31 s.
    band.run(for: .milliseconds(1_200))
    #expect(throws: CommandError.nothingOffered) { try band.command(1) { try $0.take(at: $1) } }
  }

  @Test func offerUnderAnotherClaimIsIgnored() throws {
    let band = try makePlayingBand(seed: 2, players: 3)
    let claim = try #require(band.players[0].ensemble.claim)
    let now = band.localTime(of: 1)
    /// Whether a copy of player 1 accepts the offer and can take the rhythm.
    func isAccepted(_ offer: Offer, from sender: Int) -> Bool {
      var ensemble = band.players[1].ensemble
      _ = ensemble.takeOutputs()
      ensemble.received(systemExclusive: offer.systemExclusive, from: band.identity(sender), at: now)
      let isReported = ensemble.takeOutputs().contains(.event(.offered(by: band.identity(sender))))
      let isTaken = (try? ensemble.take(at: now)) != nil
      #expect(isReported == isTaken && ensemble.role == (isTaken ? .master : .follower(of: band.identity(0))))
      return isTaken
    }
    #expect(isAccepted(Offer(claim: claim, isParting: false), from: 0))
    // Player 2, which is not the master, offers the rhythm of player 0, with and without leaving. The offer is rejected.
    var ensemble = band.players[1].ensemble
    ensemble.received(Offer(claim: claim, isParting: true), from: band.identity(2), at: now)
    #expect(ensemble.rejected == 1)
    #expect(!isAccepted(Offer(claim: claim, isParting: false), from: 2))
    for isParting in [false, true] {
      // Player 2, which is not the master, offers its own rhythm.
      #expect(!isAccepted(Offer(claim: Claim(term: 9, identity: band.identity(2)), isParting: isParting), from: 2))
      // The master offers a rhythm under an earlier or a later claim.
      for term in [0, 2] as [UInt64] {
        #expect(
          !isAccepted(Offer(claim: Claim(term: term, identity: band.identity(0)), isParting: isParting), from: 0))
      }
    }
  }

  @Test func invalidOffersAreRefused() throws {
    var band = try makePlayingBand(seed: 3, players: 3)
    let first = band.identity(1)
    #expect(throws: CommandError.belongsTo(band.identity(0))) { try band.command(1) { try $0.offer(to: nil, at: $1) } }
    #expect(throws: CommandError.isAbsent(Identity(77))) {
      try band.command(0) { try $0.offer(to: Identity(77), at: $1) }
    }
    #expect(throws: CommandError.isMaster) { try band.command(0) { try $0.take(at: $1) } }
    band.players[0].ensemble.gates.set(.rhythm, open: false, for: first.description)
    #expect(throws: CommandError.gateIsClosed(first)) { try band.command(0) { try $0.offer(to: first, at: $1) } }
    // An offer to all goes only to the peers for which the rhythm gate is open.
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .milliseconds(100))
    #expect(!band.players[1].events.contains(.offered(by: band.identity(0))))
    #expect(band.players[2].events.contains(.offered(by: band.identity(0))))
    band.players[0].ensemble.gates.set(.rhythm, open: false, for: band.identity(2).description)
    #expect(throws: CommandError.nobodyToOffer) { try band.command(0) { try $0.offer(to: nil, at: $1) } }
    var alone = try makePlayingBand(seed: 6, players: 1)
    #expect(throws: CommandError.nobodyToOffer) { try alone.command(0) { try $0.offer(to: nil, at: $1) } }
  }

  @Test func rhythmCannotBeTakenBeforeItIsEntered() throws {
    // Without clock probes, the peer does not know the clock of the master, so it does not enter the rhythm.
    var band = VirtualBand(players: 2, seed: 5, joined: false)
    band.joinAll()
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    band.run(for: .seconds(1), probing: false)
    #expect(throws: CommandError.hasNotEntered) { try band.command(1) { try $0.take(at: $1) } }
    band.run(for: .seconds(5))
    try band.command(1) { try $0.take(at: $1) }
  }

  @Test func endedRhythmCannotBeTaken() throws {
    var band = try makePlayingBand(seed: 4, players: 2)
    try band.command(0) { try $0.offer(to: nil, at: $1) }
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    #expect(throws: CommandError.nothingOffered) { try band.command(1) { try $0.take(at: $1) } }
  }

  /// A master that is about to leave calls `prepareDeparture`, which offers the rhythm to the first successor.
  @Test(arguments: UInt64(1)...8) func leavingMasterHandsTheRhythmOverAtOnce(seed: UInt64) throws {
    var band = try makePlayingBand(seed: seed, loss: seed > 4 ? 0.2 : 0)
    let (successor, start) = (try #require(band.successionOrder.first { $0 != 0 }), band.now)
    var handsOver = false
    band.command(0) { handsOver = $0.prepareDeparture(at: $1) }
    #expect(handsOver)
    band.run(for: .milliseconds(100))
    #expect(band.masters == [successor] && band.role(0) == .follower(of: band.identity(successor)), "seed \(seed)")
    band.leave(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [successor], "seed \(seed)")
    expectInaudibleHandover(band, after: start, seed: seed)
  }

  @Test func leavingMasterThatIsAloneOrSetToStopEndsTheRhythm() throws {
    var band = try makePlayingBand(seed: 5)
    band.players[0].ensemble.masterLoss = .stop
    var handsOver = true
    band.command(0) { handsOver = $0.prepareDeparture(at: $1) }
    #expect(!handsOver)
    band.run(for: .milliseconds(500))
    for n in 0..<4 { #expect(band.role(n) == .idle) }
    var alone = try makePlayingBand(seed: 6, players: 1)
    alone.command(0) { handsOver = $0.prepareDeparture(at: $1) }
    alone.run(for: .milliseconds(200))
    #expect(!handsOver && alone.role(0) == .idle)
    // The peer is not a master any more, so a second call does nothing.
    alone.command(0) { handsOver = $0.prepareDeparture(at: $1) }
    #expect(!handsOver)
  }
}
