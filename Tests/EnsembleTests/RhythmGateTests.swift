import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing

/// The rhythm gate, led sessions, and messages with forged or implausible content.
@Suite struct RhythmGateTests {
  @Test func claimOfAPeerBehindAClosedGateIsIgnored() throws {
    var band = VirtualBand(players: 3, seed: 1)
    let blocked = band.identity(0)
    band.players[1].ensemble.gates.set(.rhythm, open: false, for: blocked.description)
    for _ in 0..<5 {
      try band.command(0) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .milliseconds(500))
      try band.command(0) { try $0.stop(now: $1) }
      band.run(for: .milliseconds(300))
    }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .idle && band.role(2) == .follower(of: blocked) && band.players[1].runs.isEmpty)
    // Player 0 has started six rhythms, with the terms 1...6.
    #expect(
      band.players[1].ensemble.claim == nil && band.players[2].ensemble.claim == Claim(term: 6, identity: blocked))
    // Player 1 ignores the terms of the blocked peer. A start by player 1 therefore does not outrank the rhythm that
    // player 2 follows.
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(2))
    #expect(band.role(2) == .follower(of: blocked) && band.masters == [0, 1] && band.players[2].runs.count == 6)
  }

  @Test func closingTheGateStopsTheLocalRhythmAndOpeningItRejoinsTheMaster() throws {
    var band = VirtualBand(players: 3, seed: 2)
    let master = band.identity(0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.command(1) { ensemble, _ in ensemble.gates.standard[.rhythm] = false }
    band.run(for: .milliseconds(300))
    let lastStep = try #require(band.soundedSteps(of: 1).last)
    // A step lasts 125 ms, so player 1 has omitted at least one step.
    #expect(band.role(1) == .idle && band.now - lastStep.at > .milliseconds(150))
    // While the master plays, player 1 may not start, because the rhythm of player 1 would outrank the rhythm that the others follow.
    #expect(throws: CommandError.belongsTo(master)) { try band.command(1) { try $0.start(tempo: .standard, at: $1) } }
    band.run(for: .seconds(1))
    #expect(band.role(2) == .follower(of: master) && band.role(1) == .idle)
    band.command(1) { ensemble, _ in ensemble.gates.standard[.rhythm] = true }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .follower(of: master) && band.players[1].runs.count == 2 && band.faults(1) == [])
    // After the master has stopped, player 1 may start.
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(0) == .follower(of: band.identity(1)))
  }

  @Test func onlyTheLeaderStartsALedSession() throws {
    var band = VirtualBand(players: 3, seed: 3)
    let leader = band.identity(2)
    band.lead(by: [2])
    for n in 0..<2 {
      #expect(throws: CommandError.ledBy(leader.description)) {
        try band.command(n) { try $0.start(tempo: .standard, at: $1) }
      }
      #expect(throws: CommandError.ledBy(leader.description)) {
        try band.command(n) { try $0.continue(tempo: .standard, at: $1) }
      }
    }
    try band.command(2) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    for n in 0..<2 { #expect(band.role(n) == .follower(of: leader)) }
    // The leader cannot offer the rhythm to another peer (`offer`), because no peer would follow the new master. A leader without a deputy
    // that leaves (`prepareDeparture`) stops the rhythm, because nobody else could stop it.
    #expect(throws: CommandError.gateIsClosed(band.identity(0))) {
      try band.command(2) { [to = band.identity(0)] in try $0.offer(to: to, at: $1) }
    }
    var isHandedOver = true
    band.command(2) { isHandedOver = $0.prepareDeparture(at: $1) }
    band.run(for: .seconds(1))
    #expect(!isHandedOver && band.players.allSatisfy { $0.ensemble.role == .idle })
  }

  /// Player 0 is the master. Player 3 sends most of the messages, and player 1 receives them. The rhythm gate of player 1
  /// is closed to player 2.
  @Test func forgedOrImplausibleMessagesChangeNothing() throws {
    var band = VirtualBand(players: 4, seed: 4)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    let (master, forger, now) = (band.identity(0), band.identity(3), band.localTime(of: 1))
    let blocked = band.identity(2)
    band.command(1) { ensemble, _ in ensemble.gates.set(.rhythm, open: false, for: blocked.description) }
    band.run(for: .milliseconds(300))
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: now)
    func timelineMessage(_ term: UInt64, _ maker: Identity, start: Int64 = 0, end: Int64 = .max) -> TimelineMessage {
      TimelineMessage(
        claim: Claim(term: term, identity: maker), revision: .max, start: Tick(start), end: Tick(end),
        tempo: TempoMap(timeline))
    }
    func presence(_ claim: Claim?, _ maker: Identity) -> Presence {
      Presence(identity: maker, claim: claim, channel: nil, gates: .all, takesOver: true)
    }
    let cases: [(description: String, deliver: (inout EnsembleState, Instant) -> Void)] = [
      ("timeline of the master", { $0.received(timelineMessage(1, master), from: forger, at: $1) }),
      (
        "timeline of the receiver",
        { $0.received(timelineMessage(9, band.identity(1)), from: band.identity(1), at: $1) }
      ),
      (
        "impossible term",
        { $0.received(systemExclusive: timelineMessage(.max, forger).systemExclusive, from: forger, at: $1) }
      ),
      ("end before the start", { $0.received(timelineMessage(2, forger, start: 10, end: 9), from: forger, at: $1) }),
      ("closed gate", { $0.received(timelineMessage(2, blocked), from: blocked, at: $1) }),
      ("closed gate, high term", { $0.received(timelineMessage(1_000_000, blocked), from: blocked, at: $1) }),
      ("presence of the master", { $0.received(presence(nil, master), from: forger, at: $1) }),
      (
        "presence with a higher claim",
        { $0.received(presence(Claim(term: 99, identity: forger), forger), from: forger, at: $1) }
      ),
      (
        "presence with a claim of another peer",
        { $0.received(presence(Claim(term: .max, identity: master), forger), from: forger, at: $1) }
      ),
      (
        "offer of the master",
        {
          $0.received(Offer(claim: Claim(term: 1, identity: master), isParting: true), from: forger, at: $1)
        }
      ),
      (
        "presence of a peer that is not in session",
        { $0.received(presence(Claim(term: 5, identity: Identity(5)), Identity(5)), from: Identity(5), at: $1) }
      ),
    ]
    for (description, deliver) in cases {
      var ensemble = band.players[1].ensemble
      _ = ensemble.takeOutputs()
      deliver(&ensemble, now)
      #expect(
        ensemble.role == .follower(of: master) && ensemble.schedule == band.players[1].ensemble.schedule,
        "\(description)")
      #expect(ensemble.ownTerm == 0 && ensemble.claim == Claim(term: 1, identity: master), "\(description)")
      // A message with an impossible term is reported.
      let outputs = ensemble.takeOutputs().filter {
        switch $0 {
        case .send(.presence, _, _), .event(.warning(forger, .isUnreadable)): false
        default: true
        }
      }
      #expect(outputs == [], "\(description)")
    }
  }

  /// The forger has the lowest identity, and is therefore first in the order of succession. It reports a takeover, but sends
  /// no timeline message.
  @Test func falseReportOfATakeoverDelaysSuccessionToTwoSecondsAtMost() throws {
    var band = VirtualBand(players: 2, seed: 5)
    let forger = Identity(0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.command(1) { $0.joined(forger, at: $1) }
    let crash = band.now
    band.crash(0)
    for _ in 0..<40 {
      band.run(for: .milliseconds(50))
      band.command(1) {
        let claim = Claim(term: 2, identity: forger)
        $0.heard(forger, at: $1)
        $0.received(
          Presence(identity: forger, claim: claim, channel: nil, gates: .all, takesOver: true), from: forger, at: $1)
      }
    }
    band.run(for: .milliseconds(100))
    #expect(band.masters == [1] && band.faults(1) == [])
    // Player 1 waits for the timeline message of the peer that reports the takeover, but only until 2 s after the last
    // packet from the master.
    let delay = try #require(band.players[1].roles.last).since - crash
    #expect(delay > .milliseconds(1900) && delay < .milliseconds(2100))
  }
}
