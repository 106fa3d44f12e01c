import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Transports
import _TestSupport

/// A session over UDP on loopback from an endpoint and a packet sender of this project to a third-party listener. The
/// packets contain no recovery journal.
struct LoopbackSession: ~Copyable {
  /// The name of the endpoint.
  static let name = "the inviter"

  private let ports: PortPair
  private let endpoint: Endpoint
  private var sender: PacketSender
  /// The data port of the listener.
  private let data: SocketAddress

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Invites the listener whose control port is `port`, and waits until the session is established.
  init(inviting port: Int) throws {
    let ports = try PortPair(port: 0)
    let endpoint = Endpoint(name: Self.name, random: SplitMix(seed: 1))
    let loopback: UInt32 = 0x7F00_0001
    let control = SocketAddress(host: loopback, port: UInt16(port))
    let data = SocketAddress(host: loopback, port: UInt16(port) + 1)
    let session = try endpoint.connect(to: control, data: data, at: MonotonicClock.now)
    // After twelve invitations without an answer, `sendOutputs` throws, which ends the loop.
    while endpoint.establishedCount == 0 {
      try Self.sendOutputs(of: endpoint, over: ports)
      _ = ports.wait(milliseconds: 100)
      for port in [Datagram.Port.control, .data] {
        var datagram = Datagram()
        while ports.receive(on: port, into: &datagram) {
          endpoint.receive(
            (0..<datagram.count).map { datagram.octets[$0] }, from: datagram.from,
            port: port == .control ? .control : .data, at: datagram.at)
        }
      }
      endpoint.advance(to: MonotonicClock.now)
    }
    try Self.sendOutputs(of: endpoint, over: ports)
    guard let ssrc = endpoint.localSSRC(of: session) else { throw Failure(description: "the session has ended") }
    (self.ports, self.endpoint, self.data) = (ports, endpoint, data)
    // The sequence number wraps around early: the second packet has the number 0.
    sender = PacketSender(ssrc: ssrc, sequence: 65535)
  }

  /// Sends each of `messages` in a separate packet.
  mutating func send(_ messages: Message...) throws {
    for message in messages {
      var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
      guard sender.encode(message, at: MonotonicClock.now, into: &packet) else {
        throw Failure(description: "no room for \(message)")
      }
      guard ports.data.send((0..<packet.count).map { packet[$0] }, to: data) else {
        throw Failure(description: "\(message): not sent")
      }
    }
  }

  /// Ends the session.
  consuming func end() throws {
    endpoint.closeAll(at: MonotonicClock.now)
    try Self.sendOutputs(of: endpoint, over: ports)
    ports.close()
  }

  /// Sends the datagrams of `endpoint`.
  ///
  /// - Throws: ``Failure`` if the listener refuses the session or does not answer.
  private static func sendOutputs(of endpoint: Endpoint, over ports: PortPair) throws {
    for output in endpoint.drain() {
      switch output {
      case .send(let datagram, let address, _, let port):
        guard (port == .control ? ports.control : ports.data).send(datagram, to: address) else {
          throw Failure(description: "\(address): the datagram cannot be sent")
        }
      case .refused, .unreachable: throw Failure(description: "the listener does not answer: \(output)")
      default: break
      }
    }
  }
}
