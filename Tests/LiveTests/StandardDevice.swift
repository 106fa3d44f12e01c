import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Transports
import _TestSupport

/// A standard RTP-MIDI device. It accepts invitations, answers CK, and sends messages to the peer of the newest session. It answers no clock
/// probes, so peers treat it as a standard device. Used on one thread.
final class StandardDevice {
  /// The control port.
  let port: UInt16
  /// The RTP packets that have arrived.
  private(set) var packets: [[UInt8]] = []
  private let ports: PortPair
  private let endpoint: Endpoint
  private var sender = PacketSender(ssrc: 0, sequence: 65500)
  /// The address of the peer's data port; nil before the first session.
  private(set) var receiver: SocketAddress?

  /// - Parameter port: the control port; 0 for any free port.
  init(_ name: String, port: UInt16 = 0) throws {
    ports = try PortPair(port: port)
    self.port = ports.control.port
    endpoint = Endpoint(name: name, random: SplitMix(seed: 3))
  }

  /// Ends all sessions with BY, and closes the ports.
  func leave() {
    endpoint.closeAll(at: MonotonicClock.now)
    executeOutputs()
    ports.close()
  }

  /// Encodes a message with the time stamp `instant`, and sends its packet, unless `isLost` is true.
  func send(_ message: Message, at instant: Instant = MonotonicClock.now, isLost: Bool = false) {
    var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
    guard let receiver, sender.encode(message, at: instant, into: &packet), !isLost else { return }
    _ = ports.data.send((0..<packet.count).map { packet[$0] }, to: receiver)
  }

  /// Waits up to one millisecond for datagrams, handles them, and sends the replies. When a session is established, sets
  /// `receiver`, and restarts the stream with the SSRC of the session.
  func serve() {
    _ = ports.wait(milliseconds: 1)
    for port in [Datagram.Port.control, .data] {
      var datagram = Datagram()
      while ports.receive(on: port, into: &datagram) {
        let octets = (0..<datagram.count).map { datagram.octets[$0] }
        // A standard device does not know clock probes.
        if octets.starts(with: Self.probeSignature) { continue }
        // The version of RTP is 2 (RFC 3550, section 5.1).
        if port == .data, octets.first.map({ $0 >> 6 == 2 }) == true { packets.append(octets) }
        endpoint.receive(octets, from: datagram.from, port: port == .control ? .control : .data, at: datagram.at)
      }
    }
    endpoint.advance(to: MonotonicClock.now)
    executeOutputs()
  }

  private func executeOutputs() {
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, let address, _, let port):
        if octets.starts(with: Self.probeSignature) { continue }
        _ = (port == .control ? ports.control : ports.data).send(octets, to: address)
      case .established(_, let info):
        receiver = info.data
        sender.restart(ssrc: info.localSSRC, sequence: 65500)
      default: break
      }
    }
  }

  /// The first octets of a clock probe.
  private static let probeSignature: [UInt8] = [0xFF, 0xFF, 0x54, 0x55]
}
