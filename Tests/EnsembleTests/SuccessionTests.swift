import Ensemble
import MusicalTime
import Testing

/// A master that is gone, and who goes on.
@Suite struct SuccessionTests {
  /// Four players whose crystals differ, the first one the master, in step for a while.
  private func band(
    seed: UInt64, players: Int = 4, loss: Double = 0, playing seconds: Int64 = 12
  ) throws -> (band: VirtualBand, line: [Int]) {
    var band = VirtualBand(players: players, seed: seed, loss: loss)
    for n in band.players.indices { band.players[n].skew = Int64(n) * 20 - 30 }
    if players > 4 { band.pace = .milliseconds(60) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(seconds))
    return (band, band.line.filter { $0 != 0 })
  }

  /// The steps that sounded after an instant lie on the grid of the first master, and none is missing.
  private func expectInPhase(
    _ band: VirtualBand, _ players: [Int], after instant: Instant, within most: Nanoseconds = .milliseconds(1),
    _ seed: UInt64
  ) {
    for n in players {
      #expect(band.faults(n) == [], "seed \(seed)")
      #expect(band.heard(n).filter { $0.step == Step(0) }.count == 1, "seed \(seed)")
      #expect(band.players[n].runs.count == 2 && band.players[n].continues == [false, true], "seed \(seed)")
      let after = band.heard(n).filter { $0.at > instant }
      #expect(after.count >= 20, "seed \(seed), player \(n)")
      for sounded in after {
        let off = sounded.at - band.due(sounded.step, by: 0)
        #expect(off.magnitude < most, "seed \(seed), player \(n), \(sounded.step): \(off.microseconds) us")
      }
    }
  }

  @Test(arguments: UInt64(1)...12) func theNextInLineGoesOnInPhase(seed: UInt64) throws {
    var (band, line) = try band(seed: seed)
    let crash = band.now
    band.crash(0)
    band.run(for: .seconds(5))
    let heir = line[0]
    #expect(band.masters == [heir] && band.players[heir].events.contains(.tookOver(from: band.identity(0))))
    for n in line {
      let change = try #require(band.players[n].roles.last)
      #expect(n == heir || change.role == .follower(of: band.identity(heir)), "seed \(seed)")
      #expect(change.since - crash < .seconds(2) && change.since - crash > .milliseconds(1400), "seed \(seed)")
      #expect(!band.players[n].events.contains(.masterLost(band.identity(0))))
      #expect(band.players[n].ensemble.clockJumps == 0)
    }
    #expect(band.players[heir].ensemble.claim?.term == 2)
    expectInPhase(band, line, after: crash, seed)
  }

  /// On a network that loses every fifth packet the claim may come late, but nobody stops.
  @Test(arguments: UInt64(1)...12) func aNetworkThatLosesPacketsLosesNoStep(seed: UInt64) throws {
    var (band, line) = try band(seed: seed, loss: 0.2)
    band.crash(0)
    band.run(for: .seconds(6))
    #expect(band.masters.count == 1)
    for n in line {
      #expect(band.faults(n) == [], "seed \(seed)")
      #expect(band.players[n].continues.dropFirst().allSatisfy { $0 }, "seed \(seed), player \(n)")
    }
  }

  /// However many vanish with it: nobody waits for the dead.
  @Test(arguments: [1, 2, 6], UInt64(1)...3) func theFirstInLineVanishWithIt(count: Int, seed: UInt64) throws {
    var (band, line) = try band(seed: seed, players: count + 3)
    let crash = band.now
    for n in [0] + line[..<count] { band.crash(n) }
    band.run(for: .seconds(5))
    #expect(band.masters == [line[count]])
    for n in line[count...] {
      #expect(try #require(band.players[n].roles.last).since - crash < .milliseconds(1800), "seed \(seed)")
    }
    expectInPhase(band, Array(line[count...]), after: crash, seed)
  }

  /// One after another, down to the last.
  @Test(arguments: UInt64(1)...4) func theLastOneStillPlaysInPhase(seed: UInt64) throws {
    var (band, line) = try band(seed: seed, playing: 20)
    band.crash(0)
    for n in line {
      band.run(for: .seconds(5))
      #expect(band.masters == [n], "seed \(seed)")
      #expect(band.faults(n) == [] && !band.players[n].continues.dropFirst().contains(false), "seed \(seed)")
      if n != line.last { band.crash(n) }
    }
    let last = try #require(band.heard(line[2]).last)
    #expect((last.at - band.due(last.step, by: 0)).magnitude < .milliseconds(3), "seed \(seed)")
  }

  @Test(arguments: UInt64(1)...6) func theOldMasterComesBackAsAFollower(seed: UInt64) throws {
    var (band, line) = try band(seed: seed)
    let crash = band.now
    band.connected = { $0 != 0 && $1 != 0 }
    band.run(for: .seconds(4))
    // It has played on all the time, and so has the rest.
    #expect(Set(band.masters) == [0, line[0]])
    band.connected = { _, _ in true }
    band.run(for: .seconds(1))
    #expect(band.masters == [line[0]], "seed \(seed)")
    #expect(band.role(0) == .follower(of: band.identity(line[0])))
    #expect(band.players[0].events.contains(.outranked(by: band.identity(line[0]))))
    band.run(for: .seconds(4))
    expectInPhase(band, [0] + line, after: crash, within: .microseconds(1500), seed)
  }

  @Test func amasterBackInTimeGoesOn() throws {
    var (band, line) = try band(seed: 5)
    band.connected = { $0 != 0 && $1 != 0 }
    band.run(for: .milliseconds(1300))
    band.connected = { _, _ in true }
    band.run(for: .seconds(4))
    #expect(band.masters == [0])
    for n in line { #expect(band.players[n].runs.count == 1 && band.faults(n) == []) }
  }

  /// Killed and started anew at once, it knows nothing of the rhythm: its packets are no sign that it leads.
  @Test func aMasterStartedAnewIsSucceeded() throws {
    var (band, line) = try band(seed: 6)
    let crash = band.now
    try band.restart(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [line[0]])
    expectInPhase(band, line, after: crash, 6)
    #expect(band.role(0) == .follower(of: band.identity(line[0])))
  }

  @Test func whoWantsTheRhythmToStopStops() throws {
    var (band, line) = try band(seed: 7)
    for n in line { band.players[n].ensemble.masterLoss = .stop }
    band.run(for: .seconds(1))
    let crash = band.now
    band.crash(0)
    band.run(for: .seconds(4))
    for n in line {
      #expect(band.role(n) == .idle && band.players[n].events.contains(.masterLost(band.identity(0))))
      let last = try #require(band.heard(n).last)
      #expect(last.at - crash > .milliseconds(1800) && last.at - crash < .milliseconds(2200))
    }
  }

  /// Who does not take over is not waited for, and follows who does.
  @Test func whoDoesNotTakeOverIsPassedBy() throws {
    var (band, line) = try band(seed: 8)
    band.players[line[0]].ensemble.masterLoss = .stop
    band.run(for: .seconds(1))
    let crash = band.now
    band.crash(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [line[1]] && band.role(line[0]) == .follower(of: band.identity(line[1])))
    #expect(try #require(band.players[line[1]].roles.last).since - crash < .milliseconds(1600))
    expectInPhase(band, line, after: crash, 8)
  }

  @Test(arguments: UInt64(1)...6) func aMasterThatSaysByeIsSucceededAtOnce(seed: UInt64) throws {
    var (band, line) = try band(seed: seed)
    let gone = band.now
    band.leave(0)
    band.run(for: .milliseconds(50))
    #expect(band.masters == [line[0]], "seed \(seed)")
    band.run(for: .seconds(4))
    #expect(band.masters == [line[0]], "seed \(seed)")
    expectInPhase(band, line, after: gone, seed)
  }

  /// Two that do not hear each other for the moment go at once: one of them is the master in the end, and nobody hears it.
  @Test(arguments: UInt64(1)...8) func ofTwoThatGoAtOnceOneIsLeft(seed: UInt64) throws {
    var (band, line) = try band(seed: seed)
    let crash = band.now
    band.crash(0)
    let (a, b) = (line[0], line[1])
    band.connected = { !($0 == a && $1 == b || $0 == b && $1 == a) }
    band.run(for: .milliseconds(1800))
    band.connected = { _, _ in true }
    band.run(for: .seconds(4))
    #expect(band.masters == [a], "seed \(seed)")
    for n in line {
      #expect(band.faults(n) == [] && !band.players[n].continues.dropFirst().contains(false), "seed \(seed)")
      for sounded in band.heard(n) where sounded.at > crash {
        #expect((sounded.at - band.due(sounded.step, by: 0)).magnitude < .milliseconds(2), "seed \(seed)")
      }
    }
  }

  /// A tempo that was to change when the master vanished, or soon after it left, changes for all.
  @Test(arguments: [true, false]) func aChangeToldComesAbout(leaves: Bool) throws {
    var (band, line) = try band(seed: 9)
    let slow = try Tempo(bpm: 61)
    let crash = band.now
    try band.command(0) { try $0.change(tempo: slow, at: $1) }
    band.run(for: .milliseconds(20))
    if leaves { band.leave(0) } else { band.crash(0) }
    band.run(for: .seconds(6))
    #expect(band.masters == [line[0]])
    #expect(abs(band.players[line[0]].ensemble.schedule.tempo(at: band.own(line[0])).bpm - 61) < 0.01)
    expectInPhase(band, line, after: crash, 9)
  }

  /// Its end was known: it comes, whoever leads by then.
  @Test func anEndToldComes() throws {
    var (band, line) = try band(seed: 10)
    try band.command(0) { try $0.stop(at: $1 + .seconds(5), now: $1) }
    band.run(for: .milliseconds(100))
    let end = try #require(band.players[0].ensemble.schedule.end.step.index as Int64?)
    band.crash(0)
    band.run(for: .seconds(8))
    for n in line { #expect(band.role(n) == .idle && band.heard(n).last?.step.index == end, "player \(n)") }
  }

  /// In a led session nobody would follow anybody else.
  @Test func aLedSessionEndsWithItsLeader() throws {
    var band = VirtualBand(players: 4, seed: 11)
    for n in 1...3 { band.players[n].ensemble.gates.ledBy(band.identity(0).description) }
    band.players[0].ensemble.gates.ledBy(nil)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    #expect(band.role(3) == .follower(of: band.identity(0)))
    band.crash(0)
    band.run(for: .seconds(4))
    for n in 1...3 { #expect(band.role(n) == .idle && band.players[n].runs.count == 1) }
  }

  @Test func theSameEventsGiveTheSameState() throws {
    func play() throws -> [[VirtualBand.Sounded]] {
      var (band, _) = try band(seed: 11, players: 6, loss: 0.2, playing: 3)
      band.crash(0)
      band.run(for: .seconds(4))
      return band.players.flatMap(\.runs)
    }
    #expect(try play() == play())
  }
}
