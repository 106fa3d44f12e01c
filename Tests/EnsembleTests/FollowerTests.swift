import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// A follower whose master falls silent, comes back, has a wrong clock, or sends unreadable messages, and a follower that joins late.
@Suite struct FollowerTests {
  /// Creates two players whose crystals differ by 40 ppm. Player 0 is the master. They play for `seconds`.
  private func makePlayingBand(seed: UInt64, playing seconds: Int64 = 20) throws -> VirtualBand {
    var band = VirtualBand(players: 2, seed: seed, loss: 0.02)
    band.probeInterval = .milliseconds(40)
    (band.players[0].skew, band.players[1].skew) = (25, -15)
    band.run(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(seconds))
    return band
  }

  /// Returns the error of each step that player 1 sounds after `instant`, relative to player 0, in the order of sounding.
  private func errors(_ band: VirtualBand, after instant: Instant) throws -> [(at: Instant, error: Nanoseconds)] {
    #expect(band.faults(0) == [] && band.faults(1) == [])
    let master = band.soundedSteps(of: 0)
    return try band.soundedSteps(of: 1).filter { $0.at > instant }.map { sounded in
      let same = try #require(master.first { $0.step == sounded.step })
      return (sounded.at, sounded.at - same.at)
    }
  }

  /// Expects that no interval between two steps differs from the master's by more than 625 us, half a percent of a step.
  private func expectSlowCorrection(_ errors: [(at: Instant, error: Nanoseconds)], seed: UInt64) {
    for (a, b) in zip(errors, errors.dropFirst()) {
      #expect((b.error - a.error).magnitude < .microseconds(625), "seed \(seed), at \(b.at)")
    }
  }

  /// Player 1 continues the rhythm while its master is silent. When the two players reconnect, no step jumps.
  @Test(arguments: UInt64(1)...10) func rhythmStaysInPhaseWhileTheMasterIsSilent(seed: UInt64) throws {
    var band = try makePlayingBand(seed: seed)
    band.connected = { _, _ in false }
    let disconnection = band.now
    band.run(for: .seconds(10))
    #expect(band.role(1) == .master)
    let errorsInSilence = try errors(band, after: disconnection)
    // Ten seconds have 80 steps. A skew of 40 ppm that was not estimated at all would add 400 us in ten seconds. The rest of the bound is
    // for the error at the beginning of the silence, which comes from the jitter of the network, up to 3 ms.
    #expect(
      errorsInSilence.count > 75 && errorsInSilence.allSatisfy { $0.error.magnitude < .microseconds(900) },
      "seed \(seed)")
    band.connected = { _, _ in true }
    let reconnection = band.now
    band.run(for: .seconds(10))
    let allErrors = try errors(band, after: disconnection)
    expectSlowCorrection(allErrors, seed: seed)
    #expect(
      allErrors.suffix(16).allSatisfy { $0.error.magnitude < .microseconds(500) }, "seed \(seed), \(reconnection)")
    #expect(band.role(0) == .follower(of: band.identity(1)))
    #expect(band.players[0].ensemble.clockJumps == 0 && band.players[1].ensemble.clockJumps == 0)
  }

  @Test(arguments: [Int64(-90), -30, 30, 90]) func followerSlewsTowardsAMasterWhoseClockWasStepped(
    milliseconds: Int64
  ) throws {
    var band = try makePlayingBand(seed: 3)
    // The master's clock is stepped by `-milliseconds`. This delays all later steps of the rhythm by `milliseconds`.
    band.players[0].ahead = band.players[0].ahead - .milliseconds(milliseconds)
    let clockStep = band.now
    band.run(for: .seconds(40))
    let errors = try errors(band, after: clockStep + .milliseconds(500))
    expectSlowCorrection(errors, seed: 3)
    // The correction takes longer than the half second before the first compared step.
    #expect(errors[0].error.magnitude > .milliseconds(20))
    #expect(errors.suffix(16).allSatisfy { $0.error.magnitude < .milliseconds(1) })
    let ensemble = band.players[1].ensemble
    #expect(ensemble.clockJumps == 0 && ensemble.clockResets == 1)
    let master = band.identity(0)
    // The packets that contradict the old estimate of the clock may also be reported as implausible time stamps.
    let warnings = band.players[1].events.filter { if case .warning = $0 { true } else { false } }
    #expect(warnings.contains(.warning(master, .clockStepped)) && warnings.count <= 2, "each warning is reported once")
  }

  @Test(arguments: [Int64(-2000), -300, 300, 2000]) func followerJumpsToAMasterMoreThanAStepAway(
    milliseconds: Int64
  ) throws {
    var band = try makePlayingBand(seed: 4)
    band.players[0].ahead = band.players[0].ahead - .milliseconds(milliseconds)
    band.run(for: .seconds(5))
    #expect(band.players[1].ensemble.clockJumps == 1 && band.players[1].runs.count == 2)
    // The follower neither plays the steps in between faster, nor waits: the gap is hardly longer than two steps (250 ms).
    // The next step and all later steps are in phase.
    let (before, after) = (band.players[1].runs[0], band.players[1].runs[1])
    #expect(after.count > 30 && after[0].at - before.last!.at < .milliseconds(260))
    for sounded in after {
      #expect((sounded.at - band.dueTime(of: sounded.step, onScheduleOf: 0)).magnitude < .milliseconds(2))
    }
    for steps in [before, after].map({ $0.map(\.step.index) }) {
      #expect(steps == Array(steps[0]..<steps[0] + Int64(steps.count)))
    }
  }

  @Test(arguments: UInt64(1)...20) func lateJoinerIsInPhaseFromItsFirstStep(seed: UInt64) throws {
    var band = VirtualBand(players: 3, seed: seed, loss: 0.05)
    band.players[2].skew = 50
    // The late joiner knows the master's clock only from the probes before its first step.
    band.probeInterval = .milliseconds(10)
    // Player 2, the late joiner, is not connected yet.
    band.connected = { $0 != 2 && $1 != 2 }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .milliseconds(5000 + Int64(seed) * 17))
    band.connected = { _, _ in true }
    let joined = band.now
    band.join(0, 2)
    band.run(for: .seconds(5))
    let first = try #require(band.players[2].runs.first?.first)
    let same = try #require(band.players[0].runs[0].first { $0.step == first.step })
    #expect((first.at - same.at).magnitude < .milliseconds(1), "seed \(seed): \(first.at - same.at)")
    // If the timeline message was lost, the late joiner gets it with a repeat. The repeats are a bar (2 s) apart.
    #expect(first.at - joined < .milliseconds(4500), "seed \(seed)")
  }

  @Test func unreadableMessagesAreCountedAndReportedOnce() throws {
    let band = try makePlayingBand(seed: 6, playing: 2)
    let (master, schedule) = (band.identity(0), band.players[1].ensemble.schedule)
    let valid = TimelineMessage(
      claim: Claim(term: 1, identity: master), revision: 99, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0)))
    ).systemExclusive
    // Too short, and of another version.
    var unreadable = [Array(valid.dropLast(5)), valid]
    unreadable[1][2] = 9  // A later version.
    // Quarter notes of 0 ns, of 1 ns, and with all bits set. Octets 36...39 of the content are the length of the
    // quarter note in nanoseconds (WireFormat.md). The content begins after four octets. It is encoded in groups
    // of eight octets: an octet with the top bits of the group, the first of them in bit 6 (0x40), and seven octets
    // without their top bits.
    for (first, last) in [(0, 0), (0, 1), (0xFF, 0xFF)] as [(UInt8, UInt8)] {
      var bytes = valid
      for n in 36..<40 {
        let octet = n == 39 ? last : first
        let group = 4 + n / 7 * 8
        bytes[group + 1 + n % 7] = octet & 0x7F
        let topBit = UInt8(0x40) >> UInt8(n % 7)
        bytes[group] = bytes[group] & ~topBit | (octet & 0x80 != 0 ? topBit : 0)
      }
      unreadable.append(bytes)
    }
    for bytes in unreadable {
      band.players[1].ensemble.received(systemExclusive: bytes, from: master, at: band.localTime(of: 1))
    }
    // A message of another program is not counted.
    band.players[1].ensemble.received(systemExclusive: [0x43, 0x10, 0x01], from: master, at: band.localTime(of: 1))
    #expect(band.players[1].ensemble.rejected == unreadable.count)
    let outputs = band.players[1].ensemble.takeOutputs()
    #expect(outputs == [.event(.warning(master, .isUnreadable))] && band.players[1].ensemble.schedule == schedule)
  }

  /// One hundred masters join and leave in turn. Each sends one implausible time stamp, of a packet that arrives in the future, and is
  /// followed. The number of implausible stamps belongs to the data of a master, so only the stamp of the last master still counts.
  @Test func onlyOneDepartedMasterIsRemembered() {
    var ensemble = EnsembleState(identity: Identity(1))
    var now = Instant(nanoseconds: 1_000_000_000_000)
    for n in UInt64(1)...100 {
      let master = Identity(n + 1)
      now = now + .milliseconds(10)
      let implausible = ClockTransit(.back, sent: now, received: now + .seconds(1))
      ensemble.measured(implausible, with: master, at: now)
      let timeline = Timeline(tempo: .standard, tick: Tick(0), at: now)
      let claim = Claim(term: n, identity: master)
      ensemble.received(
        TimelineMessage(claim: claim, revision: 0, start: Tick(0), end: Tick(.max), tempo: TempoMap(timeline)),
        from: master,
        at: now
      )
      #expect(ensemble.role == .follower(of: master))
      ensemble.left(master, at: now)
      _ = ensemble.takeOutputs()
    }
    #expect(ensemble.stampsRejected == 1)
  }

  /// A display of the members shows the master only while its rhythm plays.
  @Test func masterIsNotShownAfterTheEndOfItsRhythm() throws {
    var band = try makePlayingBand(seed: 1)
    func isMasterShown() -> Bool {
      band.players[1].ensemble.memberStatuses(limit: 1, at: band.localTime(of: 1)).contains { $0.isMaster }
    }
    #expect(isMasterShown())
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(5))
    #expect(band.role(1) == .idle && !isMasterShown())
  }
}
