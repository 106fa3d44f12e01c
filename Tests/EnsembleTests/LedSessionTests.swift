import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// Led sessions: the loss and the return of a leader, and its deputies.
@Suite struct LedSessionTests {
  /// Creates four players that play a rhythm which player 0 leads.
  ///
  /// - Parameter deputies: the deputies of player 0.
  /// - Returns: the band, and the players without player 0 in the order of their identities.
  private func makeLedBand(
    seed: UInt64, deputies: [Int] = [], loss: Double = 0
  ) throws -> (band: VirtualBand, others: [Int]) {
    var band = VirtualBand(players: 4, seed: seed, loss: loss)
    for n in band.players.indices { band.players[n].skew = Int64(n) * 20 - 30 }
    band.lead(by: [0] + deputies)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(6))
    return (band, band.successionOrder.filter { $0 != 0 })
  }

  /// Player 0 starts again, knows nothing of the rhythm, and enters the led session.
  private func returnOfTheLeader(to band: inout VirtualBand, deputies: [Int] = []) throws {
    try band.restart(0)
    band.lead(by: [0] + deputies)
  }

  @Test(arguments: UInt64(1)...8) func lostLeaderDoesNotSilenceTheOthers(seed: UInt64) throws {
    var (band, others) = try makeLedBand(seed: seed, loss: seed > 4 ? 0.1 : 0)
    band.crash(0)
    band.run(for: .seconds(8))
    let keeper = others[0]
    #expect(band.masters == [keeper])
    #expect(band.players[keeper].ensemble.keptFor == band.identity(0).description)
    for n in others {
      #expect(band.role(n) == (n == keeper ? .master : .follower(of: band.identity(keeper))), "seed \(seed)")
      #expect(band.faults(n) == [] && band.players[n].continues == [false, true], "seed \(seed)")
    }
  }

  @Test func keeperControlsNothing() throws {
    var (band, others) = try makeLedBand(seed: 21)
    let (keeper, leader) = (others[0], band.identity(0).description)
    band.crash(0)
    band.run(for: .seconds(4))
    let tempo = try Tempo(bpm: 150)
    let commands: [(inout EnsembleState, Instant) throws -> Void] = [
      { try $0.stop(now: $1) }, { try $0.change(tempo: tempo, at: $1) },
      { try $0.change(tempo: tempo, over: 4, at: $1) }, { try $0.change(mix: Mix(), at: $1) },
      { try $0.offer(to: nil, at: $1) },
    ]
    for command in commands {
      #expect(throws: CommandError.ledBy(leader)) { try band.command(keeper, command) }
    }
    band.command(keeper) { $0.chooseRule(.maximum, at: $1) }
    band.run(for: .seconds(1))
    for n in others { #expect(band.players[n].ensemble.totalActivityRule == .sum) }
    // When the keeper leaves, the next player keeps the rhythm.
    var isHandedOver = false
    band.command(keeper) { isHandedOver = $0.prepareDeparture(at: $1) }
    band.run(for: .seconds(1))
    #expect(isHandedOver && band.masters == [others[1]])
    #expect(band.players[others[1]].ensemble.keptFor == leader)
  }

  /// A modified keeper sends a change of the tempo, and an end. The others ignore both.
  @Test func keeperCannotChangeTheRhythmOfTheOthers() throws {
    var (band, others) = try makeLedBand(seed: 22)
    band.crash(0)
    band.run(for: .seconds(4))
    let (keeper, follower) = (band.identity(others[0]), others[1])
    var sent: TimelineMessage?
    band.command(others[0]) { ensemble, _ in sent = ensemble.resumable }
    let message = try #require(sent)
    let before = band.players[follower].ensemble.rejected
    let slow = try Tempo(bpm: 99)
    let changes: [(inout TimelineMessage, Instant) -> Void] = [
      { message, _ in message.end = Tick(100_000) },
      { message, now in message.tempo = TempoMap(Timeline(tempo: slow, tick: Tick(0), at: now)) },
      { message, _ in message.totalRule = .mean },
      { message, _ in message.start = message.start + 1 },
    ]
    for change in changes {
      band.command(follower) { ensemble, now in
        var changed = message
        changed.revision += 100
        change(&changed, now)
        ensemble.received(changed, from: keeper, at: now)
      }
    }
    #expect(band.players[follower].ensemble.rejected == before + 4)
    // A change of the total is accepted.
    band.command(follower) { ensemble, now in
      var changed = message
      changed.revision += 100
      changed.total = ChangingValue(77)
      ensemble.received(changed, from: keeper, at: now)
    }
    #expect(band.players[follower].ensemble.rejected == before + 4)
    band.run(for: .seconds(1))
    #expect(band.role(follower) == .follower(of: keeper) && band.lastTotal(of: follower) == 77)
  }

  @Test(arguments: UInt64(31)...36) func returningLeaderControlsTheRhythmAgain(seed: UInt64) throws {
    var (band, others) = try makeLedBand(seed: seed)
    band.crash(0)
    band.run(for: .seconds(5))
    try returnOfTheLeader(to: &band)
    band.run(for: .seconds(4))
    #expect(band.masters == [0], "seed \(seed)")
    for n in others {
      #expect(band.role(n) == .follower(of: band.identity(0)), "seed \(seed)")
      // No step is lost or played twice.
      #expect(band.faults(n) == [] && band.players[n].ensemble.clockJumps == 0, "seed \(seed)")
    }
    #expect(band.players[others[0]].events.contains(.handedOver(to: band.identity(0))))
    try band.command(0) { try $0.change(tempo: try! Tempo(bpm: 140), at: $1) }
    band.run(for: .seconds(1))
    for n in others {
      let bpm = band.players[n].ensemble.tempo(at: band.localTime(of: n)).bpm
      #expect(abs(bpm - 140) < 0.1, "\(bpm)")
    }
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(3))
    #expect(band.players.allSatisfy { $0.ensemble.role == .idle })
  }

  /// The network of the leader fails. The leader and the others play on. When it returns, all follow the leader.
  @Test(arguments: UInt64(41)...44) func isolatedLeaderIsFollowedAgain(seed: UInt64) throws {
    var (band, others) = try makeLedBand(seed: seed)
    band.connected = { a, b in (a == 0) == (b == 0) }
    band.run(for: .seconds(6))
    #expect(band.masters.sorted() == [0, others[0]].sorted(), "seed \(seed)")
    band.connected = { _, _ in true }
    band.run(for: .seconds(3))
    #expect(band.masters == [0], "seed \(seed)")
    for n in others { #expect(band.role(n) == .follower(of: band.identity(0)) && band.faults(n) == []) }
  }

  @Test func deputyLeadsInTheAbsenceOfTheLeader() throws {
    // The deputy is the player with the highest identity: it comes before the others nevertheless.
    let last = try #require(try makeLedBand(seed: 51).others.last)
    var (band, others) = try makeLedBand(seed: 51, deputies: [last])
    #expect(throws: CommandError.belongsTo(band.identity(0))) { try band.command(last) { try $0.stop(now: $1) } }
    band.crash(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [last] && band.players[last].ensemble.keptFor == nil)
    try band.command(last) { try $0.change(tempo: try! Tempo(bpm: 90), at: $1) }
    band.run(for: .seconds(1))
    for n in others.dropLast() {
      #expect(abs(band.players[n].ensemble.tempo(at: band.localTime(of: n)).bpm - 90) < 0.1)
      #expect(band.faults(n) == [])
    }
    // The leader returns and follows its deputy, until it takes the rhythm.
    try returnOfTheLeader(to: &band, deputies: [last])
    band.run(for: .seconds(4))
    #expect(band.masters == [last] && band.role(0) == .follower(of: band.identity(last)))
    try band.command(0) { try $0.take(at: $1) }
    band.run(for: .seconds(1))
    #expect(band.masters == [0])
    // A deputy cannot take the rhythm from the present leader, or start one.
    #expect(throws: CommandError.nothingOffered) { try band.command(last) { try $0.take(at: $1) } }
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(3))
    #expect(throws: CommandError.ledBy(band.identity(0).description)) {
      try band.command(last) { try $0.start(tempo: .standard, at: $1) }
    }
    band.leave(0)
    try band.command(last) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    for n in others.dropLast() { #expect(band.role(n) == .follower(of: band.identity(last))) }
  }

  /// A deputy is named, or enters, while another player keeps the rhythm.
  @Test func deputyTakesAKeptRhythm() throws {
    var (band, others) = try makeLedBand(seed: 61)
    band.crash(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [others[0]])
    band.lead(by: [0, others[2]])
    band.run(for: .seconds(3))
    #expect(band.masters == [others[2]] && band.players[others[2]].ensemble.keptFor == nil)
    for n in others { #expect(band.faults(n) == []) }
  }

  /// A leader without a deputy that leaves on purpose ends the rhythm, because nobody else could end it. With a deputy, the rhythm goes on.
  @Test func leavingLeaderHandsOverOnlyToADeputy() throws {
    for deputy in [nil, 2] {
      var (band, _) = try makeLedBand(seed: 71, deputies: deputy.map { [$0] } ?? [])
      var isHandedOver: Bool?
      band.command(0) { isHandedOver = $0.prepareDeparture(at: $1) }
      band.run(for: .seconds(1))
      #expect(isHandedOver == (deputy != nil) && band.masters == (deputy.map { [$0] } ?? []))
    }
  }

  @Test func newcomerEntersAKeptRhythm() throws {
    var (band, others) = try makeLedBand(seed: 81)
    band.crash(others[2])
    band.run(for: .seconds(1))
    band.crash(0)
    band.run(for: .seconds(4))
    try band.restart(others[2])
    band.lead(by: [0])
    band.run(for: .seconds(3))
    #expect(band.masters == [others[0]] && band.role(others[2]) == .follower(of: band.identity(others[0])))
    #expect(band.faults(others[2]) == [])
  }

  /// When every player ends the led session, the keeper controls the rhythm.
  @Test func keeperControlsTheRhythmAfterTheEndOfTheLedSession() throws {
    var (band, others) = try makeLedBand(seed: 91)
    band.crash(0)
    band.run(for: .seconds(4))
    band.lead(by: [])
    try band.command(others[0]) { try $0.stop(now: $1) }
    band.run(for: .seconds(3))
    for n in others { #expect(band.role(n) == .idle) }
  }

  /// A claim that is kept loses against every claim of a leader, also against one with a lower term.
  @Test func everyOtherClaimOutranksAKeptClaim() throws {
    let kept = Claim(term: 9, identity: Identity(1), isKept: true)
    #expect(kept < Claim(term: 1, identity: Identity(9)) && kept < Claim(term: 9, identity: Identity(2)))
    #expect(Claim(term: 8, identity: Identity(1), isKept: true) < kept)
  }
}
