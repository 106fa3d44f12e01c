import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Seeds
import Transports

/// An endpoint and a sender of ours, without journal, in a session over UDP with a listener by other hands on this
/// machine.
struct Caller: ~Copyable {
  static let name = "the caller"

  private let ports: PortPair
  private let endpoint: Endpoint
  private var sender: PacketSender
  /// Where the listener takes MIDI.
  private let data: SocketAddress

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Invites the listener on `port` and the one after it, and waits until they are in session.
  init(inviting port: Int) throws {
    let ports = try PortPair(port: 0)
    let endpoint = Endpoint(name: Self.name, identity: 1, random: SplitMix(seed: 1))
    let loopback: UInt32 = 0x7F00_0001
    let control = SocketAddress(host: loopback, port: UInt16(port))
    let data = SocketAddress(host: loopback, port: UInt16(port) + 1)
    _ = try endpoint.connect(to: control, data: data, at: MonotonicClock.now)
    // It gives up by itself after twelve invitations.
    while endpoint.establishedCount == 0 {
      try Self.send(endpoint, over: ports)
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
    try Self.send(endpoint, over: ports)
    (self.ports, self.endpoint, self.data) = (ports, endpoint, data)
    sender = PacketSender(ssrc: endpoint.ssrc, sequence: 65535)
  }

  /// Says each of `messages` in a packet of its own.
  mutating func say(_ messages: Message...) throws {
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
    try Self.send(endpoint, over: ports)
    ports.close()
  }

  private static func send(_ endpoint: Endpoint, over ports: PortPair) throws {
    for output in endpoint.drain() {
      switch output {
      case .send(let datagram, let address, let port):
        guard (port == .control ? ports.control : ports.data).send(datagram, to: address) else {
          throw Failure(description: "\(address): cannot be sent to")
        }
      case .refused, .unreachable: throw Failure(description: "the listener does not answer: \(output)")
      default: break
      }
    }
  }
}
