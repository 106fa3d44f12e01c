import MIDI
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// An extension with one control packet: FF FF 58 58 and an SSRC. The extension requests the packet once a second, and
/// records its calls.
private final class PingExtension: ProtocolExtension {
  private(set) var sessions: [PingSession] = []

  func ssrc(ofControlPacket packet: Span<UInt8>) throws(PacketError) -> UInt32? {
    guard packet[2] == 0x58, packet[3] == 0x58 else { return nil }
    guard packet.count >= 8 else { throw .truncated }
    return UInt32(packet[4]) << 24 | UInt32(packet[5]) << 16 | UInt32(packet[6]) << 8 | UInt32(packet[7])
  }

  func makeSession(seed: UInt64) -> any SessionExtension {
    sessions.append(PingSession())
    return sessions.last!
  }
}

/// The part of the extension for one session.
private final class PingSession: SessionExtension {
  var deadline: Instant?
  var supervision = Supervision(silenceLimit: .seconds(3), isMutual: true)
  var measuresClock = false
  /// The result of `advance`. If it is false, the session is lost.
  var isReachable = true
  /// The control packets received.
  private(set) var arrivals: [ControlPacketArrival] = []
  /// The data of the header extensions received.
  private(set) var data: [[UInt8]] = []

  func established(at now: Instant, isExpected: Bool, isProtected: Bool) { deadline = now + .seconds(1) }

  func advance(to now: Instant, in context: SessionContext) -> Bool {
    guard let due = deadline, due <= now else { return true }
    deadline = due + .seconds(1)
    context.requestPacket()
    return isReachable
  }

  func receive(
    controlPacket packet: Span<UInt8>, _ arrival: ControlPacketArrival, in context: SessionContext
  ) -> DatagramOutcome {
    arrivals.append(arrival)
    context.hear(at: arrival.instant)
    context.report(ExtensionEvent(kind: 7, value: UInt64(packet.count)))
    return packet.count == 8 ? .accepted : .rejectedExtensionPacket
  }

  func receive(_ header: HeaderExtension, of packet: Span<UInt8>, at instant: Instant, in context: SessionContext) {
    data.append((header.data.start..<header.data.end).map { packet[$0] })
  }
}

/// The extension point of ``Endpoint``.
@Suite struct ProtocolExtensionTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// An endpoint in session with a peer of SSRC 9, whose ports are 2 and 3; its extension; and the session. `verify` exchanges the
  /// clock packets that prove that the peer receives.
  private func session() throws -> (Endpoint, PingExtension, SessionID) {
    let ping = PingExtension()
    let endpoint = Endpoint(name: "local", random: SplitMix(seed: 1), protocolExtension: ping)
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9)
    for (address, port) in [(2, Port.control), (3, .data)] {
      endpoint.receive(octets { _ = invitation.append(to: &$0) }, from: .at(address), port: port, at: now)
    }
    var id: SessionID?
    for case .established(let session, _) in endpoint.verify(9, at: .at(3), now: now) { id = session }
    return (endpoint, ping, try #require(id))
  }

  @Test func controlPacketReachesTheExtensionOfItsSession() throws {
    let (endpoint, ping, id) = try session()
    let packet = hex("FF FF 58 58 00 00 00 09")
    endpoint.receive(packet, from: .at(3), port: .data, at: now)
    #expect(endpoint.drain() == [.extended(id, ExtensionEvent(kind: 7, value: 8))])
    let arrival = try #require(ping.sessions.first?.arrivals.first)
    #expect(arrival.address == .at(3) && arrival.port == .data && arrival.instant == now && !arrival.isAnswered)
    let accepted = endpoint.counters.accepted
    // Five packets that are not accepted. The first is too long for the extension, and was already answered by the receiving thread.
    // The second comes from an address without a session. The third has an SSRC without a session. The fourth ends before its SSRC. The
    // fifth has a command that the extension does not know.
    endpoint.receive(packet + [0], from: .at(3), port: .data, at: now, answeredAt: now)
    endpoint.receive(packet, from: .at(5), port: .data, at: now)
    endpoint.receive(hex("FF FF 58 58 00 00 00 08"), from: .at(3), port: .data, at: now)
    endpoint.receive(hex("FF FF 58 58 00 00"), from: .at(3), port: .data, at: now)
    endpoint.receive(hex("FF FF 59 59 00 00 00 09"), from: .at(3), port: .data, at: now)
    let counters = endpoint.counters
    #expect(counters.accepted == accepted && counters.rejectedExtensionPackets == 1)
    #expect(counters.unknownSources == 2 && counters.malformed == 1 && counters.unknownCommands == 1)
    #expect(ping.sessions[0].arrivals.count == 2 && ping.sessions[0].arrivals[1].isAnswered)
  }

  @Test func extensionRequestsPacketsAtItsDeadline() throws {
    let (endpoint, ping, id) = try session()
    // The extension sets a deadline every second.
    #expect(endpoint.nextDeadline == now + .seconds(1))
    endpoint.advance(to: now + .seconds(1))
    #expect(endpoint.drain() == [.extensionPacket(id, to: .at(3))])
    #expect(endpoint.nextDeadline == now + .seconds(2))
    ping.sessions[0].isReachable = false
    endpoint.advance(to: now + .seconds(2))
    #expect(endpoint.drain() == [.extensionPacket(id, to: .at(3)), .lost(id)])
    #expect(endpoint.sessionExtension(of: id) == nil)
  }

  /// The extension sets a silence limit of three seconds, for a session that both peers supervise (``Supervision``).
  @Test func extensionSetsTheSilenceLimit() throws {
    let (endpoint, _, id) = try session()
    var invitations = 0
    var end: Instant?
    while let next = endpoint.nextDeadline, next < now + .seconds(60) {
      endpoint.advance(to: next)
      for output in endpoint.drain() {
        // Octet 2 is the first letter of IN.
        if case .send(let datagram, _, _, .control) = output, datagram[2] == UInt8(ascii: "I") {
          if invitations == 0 { #expect(next == now + .seconds(3)) }
          invitations += 1
        }
        if output == .lost(id) { end = next }
      }
    }
    // There are two invitations: at the limit (3 s), and half of the limit later (4.5 s). The session is lost after twice the limit.
    #expect(invitations == 2 && end == now + .seconds(6), "\(invitations) \(String(describing: end))")
  }

  @Test func headerExtensionReachesTheExtensionOnce() throws {
    let (endpoint, ping, _) = try session()
    var sender = PacketSender(ssrc: 9, sequence: 1)
    sender.headerExtension = HeaderExtension(profile: 0x1234, words: 1)
    var packet = octets { _ = sender.encode(.clock, at: now, into: &$0) }
    packet.replaceSubrange(HeaderExtension.dataOffset..<HeaderExtension.dataOffset + 4, with: [1, 2, 3, 4])
    for _ in 0..<2 { endpoint.receive(packet, from: .at(3), port: .data, at: now) }
    #expect(ping.sessions[0].data == [[1, 2, 3, 4]])
    let messages = endpoint.drain().count { if case .message(_, .clock, _, _, _) = $0 { true } else { false } }
    #expect(messages == 1)
  }
}
