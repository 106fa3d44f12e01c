import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing

/// Who may control the rhythm, and what lies change.
@Suite struct RhythmGateTests {
  @Test func aClaimThroughAClosedGateIsNone() throws {
    var band = VirtualBand(players: 3, seed: 1)
    let shut = band.identity(0)
    band.players[1].ensemble.gates.set(.rhythm, open: false, for: shut.description)
    for _ in 0..<5 {
      try band.command(0) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .milliseconds(500))
      try band.command(0) { try $0.stop(now: $1) }
      band.run(for: .milliseconds(300))
    }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .idle && band.role(2) == .follower(of: shut) && band.players[1].runs.isEmpty)
    #expect(band.players[1].ensemble.highestTerm == 0 && band.players[2].ensemble.highestTerm == 6)
    // So its own start takes nobody away who follows the other.
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(2))
    #expect(band.role(2) == .follower(of: shut) && band.masters == [0, 1] && band.players[2].runs.count == 6)
  }

  @Test func aGateClosedWhilePlayingEndsItHereAndOpenedBringsItBack() throws {
    var band = VirtualBand(players: 3, seed: 2)
    let master = band.identity(0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.command(1) { ensemble, _ in ensemble.gates.standard[.rhythm] = false }
    band.run(for: .milliseconds(300))
    let closed = try #require(band.heard(1).last)
    #expect(band.role(1) == .idle && band.now - closed.at > .milliseconds(150))
    // It does not take the rhythm from the others by starting over it.
    #expect(throws: CommandError.belongsTo(master)) { try band.command(1) { try $0.start(tempo: .standard, at: $1) } }
    band.run(for: .seconds(1))
    #expect(band.role(2) == .follower(of: master) && band.role(1) == .idle)
    band.command(1) { ensemble, _ in ensemble.gates.standard[.rhythm] = true }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .follower(of: master) && band.players[1].runs.count == 2 && band.faults(1) == [])
    // When the master has stopped, it may.
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    try band.command(1) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(0) == .follower(of: band.identity(1)))
  }

  @Test func inALedSessionOneAloneStarts() throws {
    var band = VirtualBand(players: 3, seed: 3)
    let leader = band.identity(2)
    for n in 0..<2 { band.players[n].ensemble.gates.ledBy(leader.description) }
    band.players[2].ensemble.gates.ledBy(nil)
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
    // Nor is it handed over: nobody would follow.
    #expect(throws: CommandError.gateIsClosed(band.identity(0))) {
      try band.command(2) { [to = band.identity(0)] in try $0.offer(to: to, at: $1) }
    }
    var stays = true
    band.command(2) { stays = $0.part(at: $1) }
    band.run(for: .seconds(1))
    #expect(!stays && band.players.allSatisfy { $0.ensemble.role == .idle })
  }

  /// Whatever one says that is not its own, or cannot be, changes nothing.
  @Test func liesChangeNothing() throws {
    var band = VirtualBand(players: 4, seed: 4)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    let (master, liar, now) = (band.identity(0), band.identity(3), band.own(1))
    let shut = band.identity(2)
    band.command(1) { ensemble, _ in ensemble.gates.set(.rhythm, open: false, for: shut.description) }
    band.run(for: .milliseconds(300))
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: now)
    func timelineMessage(_ term: UInt32, _ maker: Identity, start: Int64 = 0, end: Int64 = .max) -> TimelineMessage {
      TimelineMessage(
        claim: Claim(term: term, identity: maker), revision: .max, start: Tick(start), end: Tick(end),
        timeline: timeline)
    }
    func presence(_ claim: Claim?, _ maker: Identity) -> Presence {
      Presence(identity: maker, claim: claim, channel: nil, gates: .all, takesOver: true)
    }
    let lies: [(String, (inout EnsembleState, Instant) -> Void)] = [
      ("in the master's name", { $0.received(timelineMessage(1, master), from: liar, at: $1) }),
      ("in its own", { $0.received(timelineMessage(9, band.identity(1)), from: band.identity(1), at: $1) }),
      ("far ahead", { $0.received(timelineMessage(1 << 21, liar), from: liar, at: $1) }),
      ("further", { $0.received(timelineMessage(.max, liar), from: liar, at: $1) }),
      ("ends before it begins", { $0.received(timelineMessage(2, liar, start: 10, end: 9), from: liar, at: $1) }),
      ("gated", { $0.received(timelineMessage(2, shut), from: shut, at: $1) }),
      ("gated, far ahead", { $0.received(timelineMessage(1_000_000, shut), from: shut, at: $1) }),
      ("presence for the master", { $0.received(presence(nil, master), from: liar, at: $1) }),
      ("presence of a claim", { $0.received(presence(Claim(term: 99, identity: liar), liar), from: liar, at: $1) }),
      (
        "presence of another's claim",
        { $0.received(presence(Claim(term: .max, identity: master), liar), from: liar, at: $1) }
      ),
      (
        "an offer for the master",
        {
          $0.received(Offer(claim: Claim(term: 1, identity: master), isParting: true), from: liar, at: $1)
        }
      ),
      (
        "a stranger's presence",
        { $0.received(presence(Claim(term: 5, identity: Identity(5)), Identity(5)), from: Identity(5), at: $1) }
      ),
    ]
    for (lie, tell) in lies {
      var ensemble = band.players[1].ensemble
      _ = ensemble.takeOutputs()
      tell(&ensemble, now)
      #expect(
        ensemble.role == .follower(of: master) && ensemble.schedule == band.players[1].ensemble.schedule, "\(lie)")
      #expect(ensemble.highestTerm == 1 && ensemble.claim == Claim(term: 1, identity: master), "\(lie)")
      let effects = ensemble.takeOutputs().filter { if case .presence = $0 { false } else { true } }
      #expect(effects == [], "\(lie)")
    }
  }

  /// Who lies to be first in line, or to have taken over, holds nobody up for longer than 2 s.
  @Test func nobodyIsHeldUpInTheLine() throws {
    var band = VirtualBand(players: 2, seed: 5)
    let liar = Identity(0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.command(1) { $0.joined(liar, at: $1) }
    let crash = band.now
    band.crash(0)
    for _ in 0..<40 {
      band.run(for: .milliseconds(50))
      band.command(1) {
        let claim = Claim(term: 2, identity: liar)
        $0.heard(liar, at: $1)
        $0.received(
          Presence(identity: liar, claim: claim, channel: nil, gates: .all, takesOver: true), from: liar, at: $1)
      }
    }
    band.run(for: .milliseconds(100))
    #expect(band.masters == [1] && band.faults(1) == [])
    // It has waited for the timeline message of the one that said so, but not for longer.
    let change = try #require(band.players[1].roles.last).since - crash
    #expect(change > .milliseconds(1900) && change < .milliseconds(2100))
  }
}
