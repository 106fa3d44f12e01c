import Ensemble
import MusicalTime
import Testing

/// The loss of a master, and the takeover of its rhythm by a successor.
@Suite struct SuccessionTests {
  /// Creates players whose clocks have a skew of -30, -10, 10 ppm and so on, and lets them play for `seconds`. Player 0
  /// is the master. Also returns its successors, in order.
  private func makePlayingBand(
    seed: UInt64, players: Int = 4, loss: Double = 0, playing seconds: Int64 = 12
  ) throws -> (band: VirtualBand, successors: [Int]) {
    var band = VirtualBand(players: players, seed: seed, loss: loss)
    for n in band.players.indices { band.players[n].skew = Int64(n) * 20 - 30 }
    // With more than four players, some clocks have a larger skew. All clocks are therefore probed every 60 ms instead of
    // every 100 ms (the default).
    if players > 4 { band.probeInterval = .milliseconds(60) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(seconds))
    return (band, band.successionOrder.filter { $0 != 0 })
  }

  /// Expects that `players` miss no step, that the rhythm was taken over once, and that the steps after `instant` are on time
  /// by the schedule of player 0, the first master.
  private func expectInPhase(
    _ band: VirtualBand, players: [Int], after instant: Instant,
    within tolerance: Nanoseconds = .milliseconds(1), seed: UInt64
  ) {
    for n in players {
      #expect(band.faults(n) == [], "seed \(seed)")
      #expect(band.soundedSteps(of: n).filter { $0.step == Step(0) }.count == 1, "seed \(seed)")
      #expect(band.players[n].runs.count == 2 && band.players[n].continues == [false, true], "seed \(seed)")
      let stepsAfter = band.soundedSteps(of: n).filter { $0.at > instant }
      #expect(stepsAfter.count >= 20, "seed \(seed), player \(n)")
      for sounded in stepsAfter {
        let error = sounded.at - band.dueTime(of: sounded.step, onScheduleOf: 0)
        #expect(
          error.magnitude < tolerance, "seed \(seed), player \(n), \(sounded.step): \(error.microseconds) us")
      }
    }
  }

  @Test(arguments: UInt64(1)...12) func firstSuccessorContinuesInPhase(seed: UInt64) throws {
    var (band, successors) = try makePlayingBand(seed: seed)
    let crash = band.now
    band.crash(0)
    band.run(for: .seconds(5))
    let newMaster = successors[0]
    #expect(band.masters == [newMaster] && band.players[newMaster].events.contains(.tookOver(from: band.identity(0))))
    for n in successors {
      let change = try #require(band.players[n].roles.last)
      #expect(n == newMaster || change.role == .follower(of: band.identity(newMaster)), "seed \(seed)")
      // The master counts as lost 1.5 s after its last packet, which it sent shortly before the crash.
      #expect(change.since - crash < .seconds(2) && change.since - crash > .milliseconds(1400), "seed \(seed)")
      #expect(!band.players[n].events.contains(.masterLost(band.identity(0))))
      #expect(band.players[n].ensemble.clockJumps == 0)
    }
    #expect(band.players[newMaster].ensemble.claim?.term == 2)
    expectInPhase(band, players: successors, after: crash, seed: seed)
  }

  /// The master crashes, and the network loses one packet in five. The new claim may arrive late, but no player stops.
  @Test(arguments: UInt64(1)...12) func packetLossCausesNoMissingStep(seed: UInt64) throws {
    var (band, successors) = try makePlayingBand(seed: seed, loss: 0.2)
    band.crash(0)
    band.run(for: .seconds(6))
    #expect(band.masters.count == 1)
    for n in successors {
      #expect(band.faults(n) == [], "seed \(seed)")
      #expect(band.players[n].continues.dropFirst().allSatisfy { $0 }, "seed \(seed), player \(n)")
    }
  }

  /// The first `count` successors crash together with the master.
  @Test(arguments: [1, 2, 6], UInt64(1)...3) func takeoverIsNotDelayedIfFirstSuccessorsCrashToo(
    count: Int, seed: UInt64
  ) throws {
    var (band, successors) = try makePlayingBand(seed: seed, players: count + 3)
    let crash = band.now
    for n in [0] + successors[..<count] { band.crash(n) }
    band.run(for: .seconds(5))
    #expect(band.masters == [successors[count]])
    // The crashed successors have been silent for as long as the master. They therefore drop out of the order of succession at the
    // moment at which the master counts as lost, after 1.5 s. The limit allows for another 300 ms.
    for n in successors[count...] {
      #expect(try #require(band.players[n].roles.last).since - crash < .milliseconds(1800), "seed \(seed)")
    }
    expectInPhase(band, players: Array(successors[count...]), after: crash, seed: seed)
  }

  /// The masters crash one after another, until one player remains.
  @Test(arguments: UInt64(1)...4) func lastRemainingPlayerIsStillInPhase(seed: UInt64) throws {
    var (band, successors) = try makePlayingBand(seed: seed, playing: 20)
    band.crash(0)
    for n in successors {
      band.run(for: .seconds(5))
      #expect(band.masters == [n], "seed \(seed)")
      #expect(band.faults(n) == [] && !band.players[n].continues.dropFirst().contains(false), "seed \(seed)")
      if n != successors.last { band.crash(n) }
    }
    // The three takeovers each cause an error of less than 1 ms (`expectInPhase`).
    let last = try #require(band.soundedSteps(of: successors[2]).last)
    #expect((last.at - band.dueTime(of: last.step, onScheduleOf: 0)).magnitude < .milliseconds(3), "seed \(seed)")
  }

  @Test(arguments: UInt64(1)...6) func formerMasterBecomesAFollowerAfterAPartition(seed: UInt64) throws {
    var (band, successors) = try makePlayingBand(seed: seed)
    let partition = band.now
    // The master is separated from the other players.
    band.connected = { $0 != 0 && $1 != 0 }
    band.run(for: .seconds(4))
    // Both sides of the partition have continued to play.
    #expect(Set(band.masters) == [0, successors[0]])
    band.connected = { _, _ in true }
    band.run(for: .seconds(1))
    #expect(band.masters == [successors[0]], "seed \(seed)")
    #expect(band.role(0) == .follower(of: band.identity(successors[0])))
    #expect(band.players[0].events.contains(.outranked(by: band.identity(successors[0]), .interruption)))
    band.run(for: .seconds(4))
    expectInPhase(band, players: [0] + successors, after: partition, within: .microseconds(1500), seed: seed)
  }

  /// The master is separated for 1.3 s. A takeover takes place only after 1.5 s.
  @Test func masterThatReturnsBeforeTakeoverRemainsMaster() throws {
    var (band, successors) = try makePlayingBand(seed: 5)
    band.connected = { $0 != 0 && $1 != 0 }
    band.run(for: .milliseconds(1300))
    band.connected = { _, _ in true }
    band.run(for: .seconds(4))
    #expect(band.masters == [0])
    for n in successors { #expect(band.players[n].runs.count == 1 && band.faults(n) == []) }
  }

  /// The master crashes and restarts at once, without its rhythm. It sends packets again, but they do not show that it leads.
  /// It therefore counts as lost.
  @Test func restartedMasterIsReplaced() throws {
    var (band, successors) = try makePlayingBand(seed: 6)
    let crash = band.now
    try band.restart(0)
    band.run(for: .seconds(4))
    #expect(band.masters == [successors[0]])
    expectInPhase(band, players: successors, after: crash, seed: 6)
    #expect(band.role(0) == .follower(of: band.identity(successors[0])))
  }

  @Test func playersSetToStopOnMasterLossStopAfterTwoSeconds() throws {
    var (band, successors) = try makePlayingBand(seed: 7)
    for n in successors { band.players[n].ensemble.masterLoss = .stop }
    band.run(for: .seconds(1))
    let crash = band.now
    band.crash(0)
    band.run(for: .seconds(4))
    for n in successors {
      #expect(band.role(n) == .idle && band.players[n].events.contains(.masterLost(band.identity(0))))
      let last = try #require(band.soundedSteps(of: n).last)
      #expect(last.at - crash > .milliseconds(1800) && last.at - crash < .milliseconds(2200))
    }
  }

  /// The first successor is set to stop when the master is lost, so it does not take over. The second successor takes over
  /// without delay, and the first one follows it.
  @Test func successorThatDoesNotTakeOverIsSkipped() throws {
    var (band, successors) = try makePlayingBand(seed: 8)
    band.players[successors[0]].ensemble.masterLoss = .stop
    band.run(for: .seconds(1))
    let crash = band.now
    band.crash(0)
    band.run(for: .seconds(4))
    let newMaster = successors[1]
    #expect(band.masters == [newMaster] && band.role(successors[0]) == .follower(of: band.identity(newMaster)))
    #expect(try #require(band.players[newMaster].roles.last).since - crash < .milliseconds(1600))
    expectInPhase(band, players: successors, after: crash, seed: 8)
  }

  @Test(arguments: UInt64(1)...6) func leavingMasterIsReplacedAtOnce(seed: UInt64) throws {
    var (band, successors) = try makePlayingBand(seed: seed)
    let departure = band.now
    band.leave(0)
    band.run(for: .milliseconds(50))
    #expect(band.masters == [successors[0]], "seed \(seed)")
    band.run(for: .seconds(4))
    #expect(band.masters == [successors[0]], "seed \(seed)")
    expectInPhase(band, players: successors, after: departure, seed: seed)
  }

  /// The first two successors cannot reach each other for 1.8 s, so both take over. One of them remains the master, and the
  /// steps stay in phase.
  @Test(arguments: UInt64(1)...8) func ofTwoSimultaneousTakeoversOneRemains(seed: UInt64) throws {
    var (band, successors) = try makePlayingBand(seed: seed)
    let crash = band.now
    band.crash(0)
    let (a, b) = (successors[0], successors[1])
    band.connected = { !($0 == a && $1 == b || $0 == b && $1 == a) }
    band.run(for: .milliseconds(1800))
    band.connected = { _, _ in true }
    band.run(for: .seconds(4))
    #expect(band.masters == [a], "seed \(seed)")
    for n in successors {
      #expect(band.faults(n) == [] && !band.players[n].continues.dropFirst().contains(false), "seed \(seed)")
      for sounded in band.soundedSteps(of: n) where sounded.at > crash {
        #expect(
          (sounded.at - band.dueTime(of: sounded.step, onScheduleOf: 0)).magnitude < .milliseconds(2), "seed \(seed)")
      }
    }
  }

  /// The master leaves or crashes 20 ms after it has announced a tempo change. All other players make the change.
  @Test(arguments: [true, false]) func announcedTempoChangeTakesEffectWithoutTheMaster(leaves: Bool) throws {
    var (band, successors) = try makePlayingBand(seed: 9)
    let slow = try Tempo(bpm: 61)
    let announcement = band.now
    try band.command(0) { try $0.change(tempo: slow, at: $1) }
    band.run(for: .milliseconds(20))
    if leaves { band.leave(0) } else { band.crash(0) }
    band.run(for: .seconds(6))
    let newMaster = successors[0]
    #expect(band.masters == [newMaster])
    #expect(abs(band.players[newMaster].ensemble.schedule.tempo(at: band.localTime(of: newMaster)).bpm - 61) < 0.01)
    expectInPhase(band, players: successors, after: announcement, seed: 9)
  }

  /// The master announces an end and crashes. Under the new master, the rhythm ends at the announced step.
  @Test func announcedEndTakesEffectWithoutTheMaster() throws {
    var (band, successors) = try makePlayingBand(seed: 10)
    try band.command(0) { try $0.stop(at: $1 + .seconds(5), now: $1) }
    band.run(for: .milliseconds(100))
    let lastStep = (band.players[0].ensemble.schedule.end + -1).step.index
    band.crash(0)
    band.run(for: .seconds(8))
    for n in successors {
      #expect(band.role(n) == .idle && band.soundedSteps(of: n).last?.step.index == lastStep, "player \(n)")
    }
  }

  @Test func sameSeedGivesTheSameSteps() throws {
    func play() throws -> [[VirtualBand.Sounded]] {
      var (band, _) = try makePlayingBand(seed: 11, players: 6, loss: 0.2, playing: 3)
      band.crash(0)
      band.run(for: .seconds(4))
      return band.players.flatMap(\.runs)
    }
    #expect(try play() == play())
  }
}
