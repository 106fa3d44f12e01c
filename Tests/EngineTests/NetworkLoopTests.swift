import BasicContainers
import MusicalTime
import PeerProtocol
import Realtime
import Receiving
import Testing
import Transports

@testable import Engine
@testable import RTPMIDI

/// The replies of the network thread, on the loopback interface with the addresses 127.0.0.1 and 127.0.0.2.
@Suite struct NetworkLoopTests {
  /// The remote peer knows the local peer by 127.0.0.2, but the host would reply from 127.0.0.1.
  @Test func clockRepliesLeaveFromTheAddressOfTheRequest() throws {
    let (local, remote) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { local.close() }
    defer { remote.close() }
    let rings = NetworkRings(bell: Doorbell())
    let source = SocketAddress(host: 0x7F00_0001, port: remote.data.port)
    rings.commands.push(
      .open(slot: 0, SessionID(number: 1), StreamSource(ssrc: 7, address: source, localSSRC: 1), Admission()))
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    let address = SocketAddress(host: 0x7F00_0002, port: local.data.port)

    var requests = ProbeSender(socket: remote.data)
    let now = Instant(nanoseconds: 1)
    #expect(requests.send(ClockProbe(ssrc: 7, identity: 9, sentAt: now), to: address, from: nil) != nil)
    var packet = RigidArray<UInt8>(capacity: ClockPacket.length)
    let isEncoded = ClockPacket(ssrc: 7, sentAt: now).append(to: &packet)
    let isSent = remote.data.send(packet, to: address)
    #expect(isEncoded && isSent)
    loop.round()

    var datagram = Datagram()
    for _ in 0..<2 {
      #expect(remote.receive(on: .data, into: &datagram) && datagram.from == address)
    }
  }
}
