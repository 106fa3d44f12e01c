import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// A master that crashes and restarts with its saved timeline message.
@Suite struct RestoringTests {
  /// Creates three players and lets them play for six seconds. After three seconds, the tempo changes. Player 0 is the master.
  /// Also returns the timeline message that player 0 saves after it has announced the tempo change.
  private func makePlayingBand(seed: UInt64) throws -> (band: VirtualBand, saved: TimelineMessage) {
    var band = VirtualBand(players: 3, seed: seed)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    let fast = try Tempo(bpm: 137)
    try band.command(0) { try $0.change(tempo: fast, at: $1) }
    band.run(for: .milliseconds(10))
    let saved = try #require(band.players[0].ensemble.resumable)
    // Only a master has something to resume.
    #expect(band.players[1].ensemble.resumable == nil)
    band.run(for: .seconds(3))
    return (band, saved)
  }

  @Test(arguments: UInt64(1)...6) func restoredMasterContinuesItsRhythmInPhase(seed: UInt64) throws {
    var (band, saved) = try makePlayingBand(seed: seed)
    let scheduleBeforeCrash = band.players[0].ensemble.schedule
    band.crash(0)
    // The master returns before the other players take over. A takeover follows 1.5 s after the last packet of a master.
    band.run(for: .milliseconds(1200))
    try band.restart(0, resuming: saved)
    let restart = band.now
    band.run(for: .milliseconds(200))
    #expect(band.masters == [0])
    band.run(for: .seconds(3))
    for n in 1...2 {
      #expect(band.role(n) == .follower(of: band.identity(0)) && band.faults(n) == [], "seed \(seed)")
      #expect(band.players[n].runs.count == 1, "seed \(seed)")
    }
    let first = try #require(band.players[0].runs.last?.first)
    // The restored master plays from the first step that can still be passed to the sound, 50 ms ahead. A step lasts 109 ms.
    #expect(first.at > restart && first.at - restart < .milliseconds(300) && band.players[0].runs.count == 2)
    // The instant of the first step after the restart, in the local time of player 0. The schedule from before the crash also
    // contains local times of player 0.
    let localTime = first.at + (band.localTime(of: 0) - band.now)
    let error = localTime - scheduleBeforeCrash.deadline(Tick(of: first.step))
    #expect(error.magnitude < .microseconds(1), "seed \(seed): not in phase")
    // The restored master continues the revision numbers. Followers that know all its earlier messages accept its next
    // change.
    let slow = try Tempo(bpm: 80)
    try band.command(0) { try $0.change(tempo: slow, at: $1) }
    band.run(for: .seconds(1))
    #expect(abs(band.players[1].ensemble.schedule.tempo(at: band.localTime(of: 1)).bpm - 80) < 0.01, "seed \(seed)")
  }

  @Test func masterThatReturnsAfterATakeoverFollowsItsSuccessor() throws {
    var (band, saved) = try makePlayingBand(seed: 7)
    let successor = try #require(band.successionOrder.first { $0 != 0 })
    band.crash(0)
    band.run(for: .seconds(3))
    try band.restart(0, resuming: saved)
    band.run(for: .seconds(1))
    #expect(band.masters == [successor] && band.role(0) == .follower(of: band.identity(successor)))
    band.run(for: .seconds(3))
    #expect(band.faults(0) == [])
    // Player 0 is restarted again with the outdated message. Its claim is lower than that of its successor.
    try band.restart(0, resuming: saved)
    band.run(for: .milliseconds(300))
    #expect(band.masters == [successor] && band.role(0) == .follower(of: band.identity(successor)))
  }

  /// Each call of `restart` replaces the running player 0 by a new one, as after a crash.
  @Test func endedRhythmAndRhythmOfAnotherMasterAreNotResumed() throws {
    var (band, saved) = try makePlayingBand(seed: 8)
    try band.command(0) { try $0.stop(now: $1) }
    let ended = try #require(band.players[0].ensemble.resumable)
    band.run(for: .seconds(1))
    #expect(band.players[0].ensemble.resumable == nil)
    #expect(throws: CommandError.nothingPlays) { try band.restart(0, resuming: ended) }
    var ofAnotherMaster = saved
    ofAnotherMaster.claim = Claim(term: 5, identity: band.identity(1))
    #expect(throws: CommandError.isOver) { try band.restart(0, resuming: ofAnotherMaster) }
    // Run 0 means that the peer has played nothing since its restart.
    #expect(band.players[0].ensemble.role == .idle && band.players[0].ensemble.schedule.run == 0)
  }

  /// Another peer takes over the rhythm and stops it. The restored master learns of the later run from the presences of the others.
  @Test func rhythmThatTheOthersHaveStoppedIsNotResumed() throws {
    var (band, saved) = try makePlayingBand(seed: 10)
    let successor = try #require(band.successionOrder.first { $0 != 0 })
    band.crash(0)
    band.run(for: .seconds(3))
    #expect(band.masters == [successor])
    try band.command(successor) { try $0.stop(now: $1) }
    band.run(for: .seconds(1))
    try band.restart(0)
    band.run(for: .seconds(2))
    #expect(throws: CommandError.isOver) { try band.command(0) { try $0.resume(saved, at: $1) } }
    band.run(for: .seconds(1))
    #expect(band.masters.isEmpty && (1...2).allSatisfy { band.role($0) == .idle })
  }

  /// A peer that does not hear the master may not start, because a member reports the rhythm that it follows.
  @Test func startIsRefusedWhileAMemberFollowsAMasterThatIsNotHeard() throws {
    var band = VirtualBand(players: 3, seed: 11, joined: false)
    band.connected = { a, b in a + b != 2 || a == b }
    band.run(for: .seconds(1))
    for (a, b) in [(0, 1), (1, 2)] { band.joinEachOther(a, b) }
    band.run(for: .milliseconds(500))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(1))
    #expect(band.role(1) == .follower(of: band.identity(0)) && band.role(2) == .idle)
    let master = band.identity(0)
    #expect(throws: CommandError.belongsTo(master)) { try band.command(2) { try $0.start(tempo: .standard, at: $1) } }
    // A peer that does not admit the rhythm of this master may start.
    band.players[2].ensemble.gates.set(.rhythm, open: false, for: master.description)
    try band.command(2) { try $0.start(tempo: .standard, at: $1) }
  }

  @Test func resumingFailsWhileARhythmPlays() throws {
    var (band, saved) = try makePlayingBand(seed: 9)
    #expect(throws: CommandError.alreadyPlaying) {
      try band.command(0) { try $0.resume(saved, at: $1) }
    }
    let ofFollower = TimelineMessage(
      claim: Claim(term: 9, identity: band.identity(1)), revision: 0, start: Tick(0), end: Tick(.max),
      tempo: saved.tempo)
    #expect(throws: CommandError.belongsTo(band.identity(0))) {
      try band.command(1) { try $0.resume(ofFollower, at: $1) }
    }
  }
}
