import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import _TestSupport

/// Tests of the revival of a session of two Tutti peers after an interruption of the network, a restart, or a change of address. Either
/// peer may be the initiator.
@Suite struct RevivalTests {
  /// Endpoints 0 and 1, two seconds after endpoint `initiator` invited the other.
  static func session(by initiator: Int, seed: UInt64 = 1, loss: Double = 0) -> EndpointNetwork {
    var network = EndpointNetwork(2, .tutti, seed: seed)
    network.delay = 300_000...20_000_000
    network.reconnects = true
    _ = network.connect(initiator, to: 1 - initiator)
    network.run(for: .seconds(2))
    network.loss = loss
    return network
  }

  /// Runs until the two peers are settled: they are in session with each other, nothing is pending, and neither sends
  /// an invitation for two seconds. After that, nothing changes any more, because a peer that hears nothing for a
  /// second would have sent an invitation to revive the session.
  ///
  /// - Parameters:
  ///   - limit: the maximum time until nothing is pending.
  ///   - check: called after each change.
  /// - Returns: whether the peers are settled.
  private static func settle(
    _ network: inout EndpointNetwork, limit: Nanoseconds, check: (borrowing EndpointNetwork) -> Void = { _ in }
  ) -> Bool {
    let end = network.now + limit
    while network.now < end {
      let isIdle = network.run(for: end - network.now) {
        check($0)
        return $0.areTogether(0, 1) && !$0.isConnecting
      }
      guard isIdle else { return false }
      // Runs for two seconds, or until the next invitation.
      let invitations = network.invitations
      network.run(for: .seconds(2)) {
        check($0)
        return $0.invitations > invitations
      }
      if network.invitations == invitations { return network.areTogether(0, 1) && !network.isConnecting }
    }
    return false
  }

  /// The time from now until the two peers are in session with each other and remain in session. If this takes longer than 30 s, the
  /// result is the time until the distant future.
  static func time(_ network: inout EndpointNetwork) -> Nanoseconds {
    let start = network.now
    // The instant since which the peers are in session with each other; nil while they are not.
    var together: Instant? = start
    let areSettled = settle(&network, limit: .seconds(30)) { network in
      together = network.areTogether(0, 1) ? together ?? network.now : nil
    }
    return (areSettled ? together ?? .distantFuture : .distantFuture) - start
  }

  /// A revival starts after one second of silence. `cut` is the length of the interruption in milliseconds.
  @Test(arguments: [500, 850] as [Int64], [0, 1]) func shortSilenceDoesNotStartARevival(cut: Int64, initiator: Int) {
    var network = Self.session(by: initiator)
    let before = [network.events(of: 0), network.events(of: 1)]
    let invitations = network.invitations
    network.cutOff = [1]
    network.run(for: .milliseconds(cut))
    network.cutOff = []
    network.run(for: .seconds(5))
    #expect(network.areTogether(0, 1) && network.invitations == invitations)
    for k in 0...1 { #expect(network.events(of: k) == before[k]) }
  }

  /// Each seed interrupts the network at another moment.
  @Test(arguments: [500, 3000, 4900, 5000, 5100, 6500, 20_000] as [Int64], [0, 1])
  func peersMeetWithinTwoSecondsAfterANetworkInterruption(cut: Int64, initiator: Int) throws {
    for seed in UInt64(1)...8 {
      var network = Self.session(by: initiator, seed: seed)
      network.run(for: .milliseconds(Int64(seed * 37 % 200)))
      network.cutOff = [1]
      network.run(for: .milliseconds(cut))
      let tries = network.invitations
      // `tries` also counts the two invitations of the first session, one for each port.
      #expect(tries <= 2 + 4 * Int(cut) / 1000, "seed \(seed): each side sends two per second")
      network.cutOff = []
      // The session continues, or a new session has replaced it.
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
      #expect(Self.settle(&network, limit: .seconds(18)), "seed \(seed): the session lasts")
      #expect(network.invitations - tries <= 12, "seed \(seed): the invitations end")
    }
  }

  /// The endpoints stop reconnecting after a minute.
  @Test func reconnectionEndsAfterAMinute() {
    var network = Self.session(by: 0)
    network.cutOff = [1]
    // The session is lost after 5 s. The endpoints then reconnect for 60 s. The last invitation ends at most 12 s later.
    network.run(for: .seconds(85))
    let invitations = network.invitations
    network.cutOff = []
    network.run(for: .seconds(100))
    #expect(network.standing[0].isEmpty && network.standing[1].isEmpty && network.invitations == invitations)
    for k in 0...1 { #expect(network.endpoints[k].nextDeadline == nil) }
  }

  /// The program of a peer ends without BY and starts again after `away` ms, with the same address, a new SSRC and no session.
  @Test(arguments: [0, 300, 3000, 4900, 20_000] as [Int64], [0, 1])
  func restartedPeerIsInSessionWithinTwoSeconds(away: Int64, restarted: Int) {
    for seed in UInt64(1)...12 {
      var network = Self.session(by: Int(seed % 2), seed: seed)
      network.cutOff = [restarted]
      network.run(for: .milliseconds(away))
      network.cutOff = []
      network.restart(restarted, seed: seed + 1000)
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
      #expect(Self.settle(&network, limit: .seconds(18)), "seed \(seed): the session lasts")
    }
  }

  /// The restarted peer knows the address of the other peer and invites it.
  @Test(arguments: [0, 700, 1000, 3000] as [Int64], [0, 1]) func restartedPeerThatConnectsIsInSessionWithinTwoSeconds(
    away: Int64, initiator: Int
  ) {
    for seed in UInt64(1)...8 {
      var network = Self.session(by: initiator, seed: seed)
      network.cutOff = [0]
      network.run(for: .milliseconds(away + Int64(seed)))
      network.cutOff = []
      network.restart(0, seed: seed + 1000)
      _ = network.connect(0, to: 1)
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
    }
  }

  @Test(arguments: [0, 1], [0, 1]) func movedPeerIsInSessionWithinTwoSeconds(initiator: Int, moving: Int) {
    for seed in UInt64(1)...20 {
      var network = Self.session(by: initiator, seed: seed)
      network.run(for: .milliseconds(Int64(seed * 37 % 200)))
      let ssrc = network.localSSRC(moving)
      network.move(moving, to: 100)
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
      #expect(network.standing[1 - moving].values.first?.info.ssrc == ssrc)
      #expect(Self.settle(&network, limit: .seconds(88)), "seed \(seed): the session lasts")
      // One seed observes the session for longer.
      if seed == 1 { network.run(for: .seconds(90)) }
      #expect(network.areTogether(0, 1), "seed \(seed): the session lasts")
    }
  }

  /// Two kinds of probes are not as usual: acknowledgements that arrive before the first reply, and replies to requests of the replaced
  /// session.
  @Test(arguments: [0, 1], [false, true])
  func noProbeIsRejectedAfterAChangeOfAddress(moving: Int, answersEarly: Bool) {
    for seed in UInt64(1)...40 {
      var network = Self.session(by: Int(seed % 2), seed: seed, loss: seed <= 20 ? 0 : 0.2)
      network.answersEarly = answersEarly
      let before = network.session(1 - moving)
      network.move(moving, to: 100)
      network.run(for: .seconds(8))
      #expect(network.areTogether(0, 1) && network.session(1 - moving) != before, "seed \(seed)")
      for endpoint in network.endpoints {
        #expect(endpoint.counters.rejectedExtensionPackets == 0, "seed \(seed): \(endpoint.name)")
      }
    }
  }

  /// SSRC and address of the peer are new. Only the identity shows that it is the same peer.
  @Test(arguments: [0, 1]) func restartedAndMovedPeerReplacesItsOldSession(initiator: Int) {
    var network = Self.session(by: initiator)
    network.move(1, to: 100)
    network.restart(1, seed: 4711)
    network.run(for: .milliseconds(900))
    _ = network.connect(1, to: 0)
    network.run(for: .seconds(1))
    #expect(network.areTogether(0, 1))
  }

  /// A Tutti peer that is cut off before it is recognised is lost within six seconds. If a standard device has replaced the expected
  /// Tutti peer, the session remains.
  @Test(arguments: [false, true]) func expectedPeerThatIsNotHeardIsLost(isStandardDevice: Bool) throws {
    var network = EndpointNetwork(2, .tutti)
    if isStandardDevice { network.standardDevices = [1] }
    network.connect(0, to: 1, expectsExtension: true)
    network.run(for: .seconds(20)) { $0.session(0) != nil }
    if !isStandardDevice { network.cutOff = [1] }
    network.run(for: .seconds(6))
    let id = try #require(network.session(0))
    if isStandardDevice {
      #expect(network.events(of: 0).contains(.peer(id, .standardDevice)))
      #expect(network.endpoints[0].establishedCount == 1)
    } else {
      #expect(network.events(of: 0).last == .lost(id) && network.endpoints[0].establishedCount == 0)
    }
  }

  @Test func peerThatSendsByeIsNotInvitedAgain() throws {
    var network = Self.session(by: 0)
    network.endpoints[1].close(try #require(network.session(1)), at: network.clock(1))
    network.drain(1)
    let invitations = network.invitations
    network.run(for: .seconds(100))
    #expect(network.invitations == invitations && network.standing[0].isEmpty)
  }

  /// A restarted peer that answers the revival with NO ends the session at once.
  @Test func refusedRevivalEndsTheSession() {
    var network = Self.session(by: 0)
    network.restart(1, seed: 4711)
    network.endpoints[1].admits = { _, _ in false }
    let invitations = network.invitations
    network.run(for: .seconds(100))
    let isRefused = if case .refused = network.events(of: 0).last { true } else { false }
    #expect(isRefused)
    #expect(network.invitations == invitations + 1 && network.endpoints[0].establishedCount == 0)
  }
}
