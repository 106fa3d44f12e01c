import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// The exchanges of the clock packets CK0, CK1 and CK2. The addresses 0 and 1 are the control and the data port of endpoint 0, and 2
/// and 3 are those of endpoint 1.
@Suite struct ClockTests {
  @Test func clockPacketsFollowTheirSchedule() {
    var network = EndpointNetwork(2, .standard)
    network.delay = 0...0
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(30))
    // There are 13 exchanges: at 0, 0.5 ... 2.5 s, at 4, 5.5 ... 11.5 s, and at 21.5 s. Each interval is up to 1/16 longer.
    // In an exchange, the initiator sends CK0 and CK2, and the answerer sends CK1.
    #expect(network.sent("CK", by: 1).count == 26 && network.sent("CK", by: 3).count == 13)
  }

  /// Time stamps have units of 100 us. If all CK0s left at the same phase of a unit, all readings would have the same error of up to 50 us.
  @Test func resolutionErrorsOfClockPacketsAverageOut() {
    var network = EndpointNetwork(2, .standard)
    network.delay = 70_000...70_000
    // The units of the two clocks begin 33.3 us apart.
    network.offsets = [Nanoseconds(4_000_000_000_000), Nanoseconds(7_000_000_033_300)]
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1900))
    for (own, other) in [(0, 1), (1, 0)] {
      // The error of a reading is the measured clock difference, corrected by the delay, minus the true difference.
      let transits = network.transits(own)
      let errors = transits.map {
        let delay: Nanoseconds = $0.direction == .out ? .microseconds(70) : .microseconds(-70)
        return ($0.difference - delay - (network.offsets[other] - network.offsets[own])).microseconds
      }
      // There are about 195 exchanges. In each, CK1 gives the initiator two readings, and CK0 and CK2 give the answerer three.
      #expect(errors.count > 380 && transits.allSatisfy { $0.resolution == .microseconds(100) })
      #expect(errors.allSatisfy { abs($0) <= 50 } && errors.min()! < -40 && errors.max()! > 40, "all phases")
      // At a constant phase, the mean could be as large as 50 us.
      let mean = errors.reduce(0, +) / Double(errors.count)
      #expect(abs(mean) < 5, "\(mean) us")
    }
  }

  /// Two endpoints that have been in session for four seconds, and the session of endpoint 1.
  private func session() throws -> (EndpointNetwork, SessionID) {
    var network = EndpointNetwork(2, .standard)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(4))
    return (network, try #require(network.session(1)))
  }

  /// Sends a CK0 of peer 0 to endpoint 1. Its stamp is ahead of the clock of peer 0 by `ahead`.
  private func sendClock(_ network: inout EndpointNetwork, ahead: Nanoseconds) {
    let packet = ClockPacket(ssrc: network.localSSRC(0), sentAt: network.clock(0) + ahead)
    network.endpoints[1].receive(octets { _ = packet.append(to: &$0) }, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
  }

  /// The time stamp that endpoint 1 reads in a Start that peer 0 sends now.
  private func instant(_ network: inout EndpointNetwork, _ sequence: UInt16) -> Instant? {
    var sender = PacketSender(ssrc: network.localSSRC(0), sequence: sequence)
    let packet = octets { _ = sender.encode(.start, at: network.clock(0), into: &$0) }
    network.endpoints[1].receive(packet, from: .at(1), port: .data, at: network.clock(1))
    network.drain(1)
    for case .message(_, _, let at, _, _) in network.events(of: 1).reversed() { return at }
    return nil
  }

  @Test(arguments: [-200_000, -2, 2, 200_000] as [Int64]) func implausibleClockPacketIsAcceptedIfTheNextAgrees(
    hours: Int64
  ) throws {
    var (network, _) = try session()
    let now = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    sendClock(&network, ahead: .seconds(3600 * hours))
    #expect(network.endpoints[1].counters.implausibleClocks == 1)
    #expect(instant(&network, 1) == now, "the rejected packet changed nothing")
    // The next CK0 agrees with the rejected one. The endpoint therefore accepts that the remote clock was set.
    sendClock(&network, ahead: .seconds(3600 * hours))
    #expect(network.endpoints[1].counters.implausibleClocks == 1)
    let step = try #require(instant(&network, 2)) - now
    // The Start still has the lower 32 bits of the unchanged clock. The endpoint completes them to the instant nearest to the accepted
    // clock. The 32 bits wrap every 429 497 s, so this instant differs from the accepted clock by at most half of this time.
    #expect((step - .seconds(3600 * hours)).magnitude <= .seconds(215_000))
  }

  /// Two clock packets agree if they show the same step of the remote clock, with a tolerance of a minute.
  @Test func implausibleClockPacketsThatDisagreeAreAllRejected() throws {
    var (network, _) = try session()
    let now = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    for hours in [5, -7, 20, 100_000] { sendClock(&network, ahead: .seconds(3600 * Int64(hours))) }
    #expect(network.endpoints[1].counters.implausibleClocks == 4 && instant(&network, 1) == now)
  }

  @Test func unsolicitedRepliesAreDropped() throws {
    var (network, _) = try session()
    // The newest CK1 of endpoint 1. Endpoint 0 accepts it once.
    let clock = try #require(network.sent("CK", by: 3).last)
    // Octet 19 is the last octet of stamp 1, which a CK1 copies from its CK0.
    var wrongStamp = clock
    wrongStamp[19] ^= 1
    // All datagrams in transit arrive first.
    network.run(for: .milliseconds(3))
    let before = network.endpoints[0].counters
    // Address 3 is the data port of endpoint 1. Address 5 belongs to no endpoint.
    for datagram in [clock, wrongStamp] {
      network.endpoints[0].receive(datagram, from: .at(3), port: .data, at: network.clock(0))
      network.endpoints[0].receive(datagram, from: .at(5), port: .data, at: network.clock(0))
    }
    let after = network.endpoints[0].counters
    #expect(after.unmatchedClocks - before.unmatchedClocks == 2)
    #expect(after.unknownSources - before.unknownSources == 2)
    #expect(network.endpoints[0].drain() == [])
  }
}
