import MusicalTime
import RTPMIDI
import Testing

/// Stamps that cannot be, from a peer in session and from others.
@Suite struct HostileClockTests {
  private func session() throws -> (VirtualNetwork, SessionID) {
    var network = VirtualNetwork(2)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(4))
    return (network, try #require(network.session(1)))
  }

  /// A CK0 of peer 0 at endpoint 1, `ahead` of what its clock shows.
  private func ask(_ network: inout VirtualNetwork, ahead: Nanoseconds) {
    let packet = ClockPacket(ssrc: network.endpoints[0].ssrc, sentAt: network.clock(0) + ahead)
    network.endpoints[1].receive(octets { _ = packet.append(to: &$0) }, from: 1, port: .data, at: network.clock(1))
    network.drain(1)
  }

  /// What a Start of peer 0, sent now, counts as at endpoint 1.
  private func instant(_ network: inout VirtualNetwork, _ sequence: UInt16) -> Instant? {
    var sender = PacketSender(ssrc: network.endpoints[0].ssrc, sequence: sequence)
    let packet = octets { _ = sender.encode(.start, at: network.clock(0), into: &$0) }
    network.endpoints[1].receive(packet, from: 1, port: .data, at: network.clock(1))
    network.drain(1)
    for case .message(_, _, let at, _, _) in network.told[1].reversed() { return at }
    return nil
  }

  private let hour = Nanoseconds.seconds(3600)

  @Test(arguments: [-200_000, -2, 2, 200_000] as [Int64]) func aClockFarOffIsNotBelieved(hours: Int64) throws {
    var (network, _) = try session()
    let now = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    ask(&network, ahead: .seconds(3600 * hours))
    #expect(network.endpoints[1].counters.implausibleClocks == 1)
    #expect(instant(&network, 1) == now, "what it said changed nothing")
    // A clock that was set agrees with itself.
    ask(&network, ahead: .seconds(3600 * hours))
    #expect(network.endpoints[1].counters.implausibleClocks == 1)
    let step = try #require(instant(&network, 2)) - now
    // The 32 bits of an RTP stamp tell the instant nearest to that clock.
    #expect((step - .seconds(3600 * hours)).magnitude <= .seconds(215_000))
  }

  @Test func twoThatDoNotAgreeAreBothNotBelieved() throws {
    var (network, _) = try session()
    let now = Instant(hundredMicroseconds: network.clock(0).hundredMicroseconds)
    for hours in [5, -7, 20, 100_000] { ask(&network, ahead: .seconds(3600 * Int64(hours))) }
    #expect(network.endpoints[1].counters.implausibleClocks == 4 && instant(&network, 1) == now)
  }

  /// A reply whose stamps say that it was kept for longer than the whole exchange took, or sent before the request came.
  @Test(arguments: [-5000, -2, 3, 5000] as [Int64]) func aReplyThatCannotBe(milliseconds: Int64) throws {
    var (network, id) = try session()
    var request: ClockProbe?
    while request == nil {
      network.run(for: .milliseconds(1))
      network.isCutOff = [1]
      request = network.sent("TU", by: 3).last.flatMap { ClockProbe($0.span) }.flatMap {
        $0.kind == .request && $0.t1 > network.clock(1) - .milliseconds(1) ? $0 : nil
      }
    }
    let exchanges = network.exchanges(1).count
    let before = network.endpoints[1].counters
    let received = network.clock(0)
    let reply = request!.reply(
      from: network.endpoints[0].ssrc, identity: 100, receivedAt: received,
      sentAt: received + .milliseconds(milliseconds))!
    network.endpoints[1].receive(octets { _ = reply.append(to: &$0) }, from: 1, port: .data, at: network.clock(1))
    network.drain(1)
    #expect(network.endpoints[1].counters.strangerProbes == before.strangerProbes + 1)
    #expect(network.exchanges(1).count == exchanges && network.standing[1][id]?.identity == 100)
  }
}
