import MusicalTime
import RTPMIDI
import Seeds
import Testing

/// What becomes of two Tutti peers in session when the network, a peer or an address goes and comes. Either may have
/// begun the session.
@Suite struct RevivalTests {
  /// Endpoints 0 and 1, five seconds after endpoint `initiator` has invited the other.
  static func session(by initiator: Int, seed: UInt64 = 1, loss: Double = 0) -> VirtualNetwork {
    var network = VirtualNetwork(2, seed: seed)
    network.delay = 300_000...20_000_000
    network.isSeeking = true
    _ = network.connect(initiator, to: 1 - initiator)
    network.run(for: .seconds(5))
    network.loss = loss
    return network
  }

  /// How long from now the two have been together for good, as far as the next 30 s tell.
  static func time(_ network: inout VirtualNetwork) -> Nanoseconds {
    let start = network.now
    var together: Instant? = start
    network.run(for: .seconds(30)) { network in
      together = network.areTogether(0, 1) ? together ?? network.now : nil
      return false
    }
    return (together ?? .distantFuture) - start
  }

  @Test(arguments: [500, 850] as [Int64], [0, 1]) func aShortSilenceChangesNothing(cut: Int64, initiator: Int) {
    var network = Self.session(by: initiator)
    let news = [network.news(0), network.news(1)]
    let invitations = network.invitations
    network.isCutOff = [1]
    network.run(for: .milliseconds(cut))
    network.isCutOff = []
    network.run(for: .seconds(5))
    #expect(network.areTogether(0, 1) && network.invitations == invitations)
    for k in 0...1 { #expect(network.news(k) == news[k]) }
  }

  /// Each seed cuts at another moment.
  @Test(arguments: [500, 3000, 4900, 5000, 5100, 6500, 20_000] as [Int64], [0, 1])
  func aNetworkThatComesBack(cut: Int64, initiator: Int) throws {
    for seed in UInt64(1)...8 {
      var network = Self.session(by: initiator, seed: seed)
      network.run(for: .milliseconds(Int64(seed * 37 % 200)))
      network.isCutOff = [1]
      network.run(for: .milliseconds(cut))
      let tries = network.invitations
      #expect(tries <= 2 + 4 * Int(cut) / 1000, "seed \(seed): two a second from either side")
      network.isCutOff = []
      // In a short cut the session has stood all the time: nobody has fallen out.
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
      network.run(for: .seconds(20))
      #expect(network.areTogether(0, 1), "seed \(seed): it lasts")
      #expect(network.invitations - tries <= 12, "seed \(seed): and ends the invitations")
    }
  }

  /// After a minute nobody seeks the other any more; whoever was told to connect goes on.
  @Test func aNetworkThatIsAwayForLong() {
    var network = Self.session(by: 0)
    network.isCutOff = [1]
    network.run(for: .seconds(85))
    let invitations = network.invitations
    network.isCutOff = []
    network.run(for: .seconds(100))
    #expect(network.standing[0].isEmpty && network.standing[1].isEmpty && network.invitations == invitations)
    for k in 0...1 { #expect(network.endpoints[k].nextDeadline == nil) }
  }

  /// The program is gone for a while, and comes back at its address with another ssrc. It knows of nothing.
  @Test(arguments: [0, 300, 3000, 4900, 20_000] as [Int64], [0, 1])
  func aPeerThatWasRestarted(away: Int64, restarted: Int) {
    for seed in UInt64(1)...12 {
      var network = Self.session(by: Int(seed % 2), seed: seed)
      network.isCutOff = [restarted]
      network.run(for: .milliseconds(away))
      network.isCutOff = []
      network.restart(restarted, seed: seed + 1000)
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
      network.run(for: .seconds(20))
      #expect(network.areTogether(0, 1), "seed \(seed): it lasts")
    }
  }

  /// Both know each other's address, and the one that was restarted connects by itself as well.
  @Test(arguments: [0, 700, 1000, 3000] as [Int64], [0, 1]) func aRestartedPeerThatConnects(away: Int64, initiator: Int)
  {
    for seed in UInt64(1)...8 {
      var network = Self.session(by: initiator, seed: seed)
      network.isCutOff = [0]
      network.run(for: .milliseconds(away + Int64(seed)))
      network.isCutOff = []
      network.restart(0, seed: seed + 1000)
      _ = network.connect(0, to: 1)
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
    }
  }

  @Test(arguments: [0, 1], [0, 1]) func aPeerWithAnotherAddress(initiator: Int, moving: Int) {
    for seed in UInt64(1)...20 {
      var network = Self.session(by: initiator, seed: seed)
      network.run(for: .milliseconds(Int64(seed * 37 % 200)))
      let ssrc = network.endpoints[moving].ssrc
      network.move(moving, to: 100)
      network.run(for: .seconds(2))
      #expect(network.areTogether(0, 1), "seed \(seed): \(network.standing)")
      #expect(network.standing[1 - moving].values.first?.info.ssrc == ssrc)
      network.run(for: .seconds(90))
      #expect(network.areTogether(0, 1), "seed \(seed): it lasts")
    }
  }

  /// The other one learns that the two are the same by its identity alone.
  @Test(arguments: [0, 1]) func aRestartedPeerWithAnotherAddress(initiator: Int) {
    var network = Self.session(by: initiator)
    network.move(1, to: 100)
    network.restart(1, seed: 4711)
    network.run(for: .milliseconds(900))
    _ = network.connect(1, to: 0)
    network.run(for: .seconds(1))
    #expect(network.areTogether(0, 1))
  }

  /// A Tutti peer that is cut off before it is recognised is not taken for other gear, which would be kept for a minute; one
  /// that other gear has taken the place of is.
  @Test(arguments: [false, true]) func anExpectedPeerThatIsNotHeardIsLost(isForeign: Bool) throws {
    var network = VirtualNetwork(2)
    if isForeign { network.isForeign = [1] }
    _ = try network.endpoints[0].connect(to: .at(2), data: .at(3), expectsTutti: true, at: network.clock(0))
    network.drain(0)
    while network.session(0) == nil { network.run(for: .milliseconds(1)) }
    if !isForeign { network.isCutOff = [1] }
    network.run(for: .seconds(6))
    let news = try #require(network.news(0).last)
    if isForeign {
      #expect(network.news(0).contains { if case .foreign = $0 { true } else { false } })
      #expect(network.endpoints[0].establishedCount == 1)
    } else {
      let isLost = if case .lost = news { true } else { false }
      #expect(isLost && network.endpoints[0].establishedCount == 0)
    }
  }

  @Test func aPeerThatSaysByeIsNotInvited() throws {
    var network = Self.session(by: 0)
    network.endpoints[1].close(try #require(network.session(1)), at: network.clock(1))
    network.drain(1)
    let invitations = network.invitations
    network.run(for: .seconds(100))
    #expect(network.invitations == invitations && network.standing[0].isEmpty)
  }

  /// A peer that was restarted and does not want the session any more ends it at once.
  @Test func aRevivalIsRefused() {
    var network = Self.session(by: 0)
    network.restart(1, seed: 4711)
    network.endpoints[1].admits = { _, _ in false }
    let invitations = network.invitations
    network.run(for: .seconds(100))
    let isRefused = if case .refused = network.news(0).last { true } else { false }
    #expect(isRefused)
    #expect(network.invitations == invitations + 1 && network.endpoints[0].establishedCount == 0)
  }
}
