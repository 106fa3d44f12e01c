import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import Realtime
import Receiving
import Testing
import Transports
import _TestSupport

@testable import Engine
@testable import RTPMIDI

/// Tests of the network thread in a session with a passkey, on the loopback interface.
@Suite struct NetworkLoopPasskeyTests {
  private let local = SessionKeys(sending: TagKey(low: 1, high: 2), receiving: TagKey(low: 3, high: 4))
  private let remote = SessionKeys(sending: TagKey(low: 3, high: 4), receiving: TagKey(low: 1, high: 2))

  /// Returns `content` with a tag.
  private func sealed(_ content: [UInt8], by sealer: inout DatagramSealer, port: Port = .data) -> [UInt8] {
    // The array has room for exactly its octets. The zeros, which are removed again, make room for the tag.
    var datagram = rigid(content + [UInt8](repeating: 0, count: DatagramSealer.length))
    datagram.removeLast(DatagramSealer.length)
    sealer.seal(&datagram, port: port, at: MonotonicClock.now)
    return (0..<datagram.count).map { datagram[$0] }
  }

  private func host(_ port: UInt16) -> SocketAddress { SocketAddress(host: 0x7F00_0001, port: port) }

  /// All datagrams have the SSRC of the peer. The network thread removes valid tags.
  ///
  /// - The packet with a valid tag is decoded.
  /// - The control thread gets the BY with a valid tag, and the invitation. The invitation needs no tag, because it can begin a session.
  /// - The other five datagrams are dropped and counted: the packet and the BY without a tag, the repetitions of both with a tag, and a
  ///   packet with the tag of the other port.
  @Test func datagramsWithoutAValidTagAreDropped() throws {
    let (ports, peer) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { ports.close() }
    defer { peer.close() }
    let rings = NetworkRings(bell: Doorbell())
    let source = StreamSource(ssrc: 7, address: host(peer.data.port), localSSRC: 1)
    rings.commands.push(.receiving(.open(slot: 0, SessionID(number: 1), source, Admission(), keys: local)))
    var loop = NetworkLoop(ports: ports, sequencer: nil, identity: 2, hasPasskey: true, rings: rings)
    var sealer = DatagramSealer(remote, thread: .clock)
    // The AppleMIDI commands BY and IN: FF FF, two letters, version 2, token 0, SSRC 7.
    let bye: [UInt8] = [0xFF, 0xFF, 0x42, 0x59, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7]
    let invitation: [UInt8] = [0xFF, 0xFF, 0x49, 0x4E] + bye[4...]
    var stream = PacketSender(ssrc: 7, sequence: 1)
    let packet = octets { _ = stream.encode(.clock, at: Instant(nanoseconds: 0), into: &$0) }
    let (tagged, taggedBye) = (sealed(packet, by: &sealer), sealed(bye, by: &sealer, port: .control))
    for datagram in [packet, tagged, tagged, sealed(packet, by: &sealer, port: .control)] {
      _ = peer.data.send(datagram, to: host(ports.data.port))
    }
    for datagram in [bye, taggedBye, taggedBye, invitation] {
      _ = peer.control.send(datagram, to: host(ports.control.port))
    }
    loop.round()
    var (packets, controls): (Int, [(octets: [UInt8], isAuthentic: Bool)]) = (0, [])
    while let event = rings.events.pop() {
      if case .reception(.packet) = event { packets += 1 }
      guard case .datagram = event, let datagram = rings.datagrams.pop() else { continue }
      controls.append(((0..<datagram.count).map { datagram.octets[$0] }, datagram.isAuthentic))
    }
    #expect(packets == 1)
    #expect(controls.map(\.octets) == [bye, invitation] && controls.map(\.isAuthentic) == [true, false])
    #expect(rings.counters.take()?.notAuthentic == 5)
  }

  /// The answers to a clock probe and to CK0 have tags. The tag of the probe reply also covers the transmit time stamp.
  @Test func answersHaveTags() throws {
    let (ports, peer) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { ports.close() }
    defer { peer.close() }
    let rings = NetworkRings(bell: Doorbell())
    let source = StreamSource(ssrc: 7, address: host(peer.data.port), localSSRC: 1)
    rings.commands.push(.receiving(.open(slot: 0, SessionID(number: 1), source, Admission(), keys: local)))
    var loop = NetworkLoop(ports: ports, sequencer: nil, identity: 2, hasPasskey: true, rings: rings)
    var (sealer, opener) = (DatagramSealer(remote, thread: .control), DatagramOpener(remote))
    let before = MonotonicClock.now
    let probe = octets { _ = ClockProbe(ssrc: 7, identity: 9, sentAt: before).append(to: &$0) }
    let request = octets { _ = ClockPacket(ssrc: 7, sentAt: before).append(to: &$0) }
    for datagram in [sealed(probe, by: &sealer), sealed(request, by: &sealer)] {
      _ = peer.data.send(datagram, to: host(ports.data.port))
    }
    loop.round()
    var datagram = Datagram()
    for length in [ClockProbe.length, ClockPacket.length] {
      #expect(peer.receive(on: .data, into: &datagram))
      let answer = (0..<datagram.count).map { datagram.octets[$0] }
      let count = opener.open(answer.span, port: .data)
      #expect(count == length)
      if let reply = ClockProbe(answer.span) { #expect(reply.kind == .reply && reply.transmit >= before) }
    }
  }

  /// A flood of handshake packets with the SSRC and the address of a peer in session is limited like a flood of a stranger. The flood has
  /// 3000 packets: 200 rounds of 15. One round of the loop takes at most 16 datagrams from one port.
  @Test func floodOfHandshakesWithTheSourceOfAPeerIsLimited() throws {
    let (ports, peer) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { ports.close() }
    defer { peer.close() }
    let rings = NetworkRings(bell: Doorbell())
    let source = StreamSource(ssrc: 7, address: host(peer.data.port), localSSRC: 1)
    rings.commands.push(.receiving(.open(slot: 0, SessionID(number: 1), source, Admission(), keys: local)))
    var loop = NetworkLoop(ports: ports, sequencer: nil, identity: 2, hasPasskey: true, rings: rings)
    // A hello, the first packet of the handshake: version 1, kind 1, SSRC 7. Its identity and its nonce are 24 octets of zero.
    let hello = [0xFF, 0xFF] + Array("TH".utf8) + [1, 1, 0, 0, 0, 0, 0, 7] + [UInt8](repeating: 0, count: 24)
    var passed = 0
    for _ in 0..<200 {
      for _ in 0..<15 { _ = peer.data.send(hello, to: host(ports.data.port)) }
      loop.round()
      while rings.events.pop() != nil { if rings.datagrams.pop() != nil { passed += 1 } }
    }
    // The bucket for packets of new sources has a depth of 256 and a rate of 256 per second. The bound of 1000 limited packets holds if
    // the flood takes less than 6.8 s: (3000 - 1000 - 256) / 256.
    let limited = Int(rings.counters.take()?.limited ?? 0)
    #expect(passed >= 256 && limited > 1000 && passed + limited == 3000, "\(passed) \(limited)")
  }
}
