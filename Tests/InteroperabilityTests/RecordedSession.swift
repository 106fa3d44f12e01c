import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import _TestSupport

/// A session of two endpoints in memory, which is recorded in a capture file. The file contains the datagrams of the endpoints and
/// the packets of a `PacketSender`. `tshark` decodes the file.
///
/// Every packet of the stream contains a journal. The first packet has the sequence number 65530. The receiver acknowledges no
/// packet, so the first packet is the checkpoint of every journal. The inviter has the ports 5004 (control) and 5005 (data). The
/// invited endpoint has the ports 5006 and 5007.
struct RecordedSession: ~Copyable {
  /// The packets of the stream that are not lost, in order.
  private(set) var streamPackets: [[UInt8]] = []
  private(set) var file = PacketFile()
  private var now = Instant(nanoseconds: 1_000_000_000)
  private let inviter = Endpoint(name: "inviter", identity: 1, random: SplitMix(seed: 1))
  private let invited = Endpoint(name: "invited", identity: 2, random: SplitMix(seed: 2))
  private var sender: PacketSender

  struct Fault: Error, CustomStringConvertible { let description: String }

  /// - Parameters:
  ///   - usesEnhancedControllers: whether Chapter C of the journals has the enhanced encoding (RFC 6295, appendix A.3.3).
  ///   - sendsInstants: whether the RTP header of each packet has an extension for the send instant.
  init(usesEnhancedControllers: Bool = false, sendsInstants: Bool = false) throws {
    // Replaced below. The SSRC is known only after `exchange`, which can be called only when all properties have values.
    sender = PacketSender(ssrc: 0, sequence: 65530)
    let session = try inviter.connect(to: Self.address(5006), data: Self.address(5007), at: now)
    exchange()
    guard let ssrc = inviter.localSSRC(of: session) else { throw Fault(description: "the session has ended") }
    sender = PacketSender(ssrc: ssrc, sequence: 65530)
    sender.sendsJournal = true
    sender.usesEnhancedControllers = usesEnhancedControllers
    sender.sendsInstants = sendsInstants
  }

  /// A port of 127.0.0.1.
  private static func address(_ port: UInt16) -> SocketAddress { SocketAddress(host: 0x7F00_0001, port: port) }

  /// Sends each of `messages` in a separate packet.
  mutating func send(_ messages: Message...) throws { for message in messages { try send(message) } }

  mutating func send(_ message: Message) throws { try transmit { $0.encode(message, at: $1, into: &$2) } }

  /// Encodes `message` in a packet that is lost: the packet is not in the capture file.
  mutating func sendLost(_ message: Message) throws { _ = try packet { $0.encode(message, at: $1, into: &$2) } }

  /// Sends the data octets of a System Exclusive message in several packets.
  ///
  /// - Parameters:
  ///   - rooms: the maximum size of each packet in octets. Data that does not fit into these packets is not sent.
  ///   - isJournalled: whether the journal contains the data of the message. Otherwise Chapter X of the journal contains only COUNT,
  ///     the number of System Exclusives so far.
  mutating func send(systemExclusive data: [UInt8], rooms: [Int] = [1400], isJournalled: Bool = true) throws {
    var octets = RigidArray<UInt8>(capacity: data.count)
    for octet in data { octets.append(octet) }
    var sent = 0
    for room in rooms {
      try transmit(room: room) {
        let next = $0.encode(systemExclusive: octets, from: sent, at: $1, isJournalled: isJournalled, into: &$2)
        sent = next ?? sent
        return next != nil
      }
    }
  }

  /// Sends a guard packet: a packet without commands.
  mutating func sendGuard() throws { try transmit { $0.encodeGuard(at: $1, into: &$2) } }

  /// Ends the session.
  mutating func end() {
    inviter.closeAll(at: now)
    exchange()
  }

  /// A function that encodes a packet with a sender. The packet takes effect at the instant, and is appended to the array. Returns
  /// false if nothing is appended.
  private typealias Encoding = (inout PacketSender, Instant, inout RigidArray<UInt8>) -> Bool

  /// Encodes a packet of at most `room` octets, and appends it to the capture file.
  private mutating func transmit(room: Int = 1400, _ encode: Encoding) throws {
    let datagram = try packet(room: room, encode)
    streamPackets.append(datagram)
    append(datagram, from: 5005, to: 5007)
  }

  /// Encodes a packet of at most `room` octets.
  private mutating func packet(room: Int = 1400, _ encode: Encoding) throws -> [UInt8] {
    var packet = RigidArray<UInt8>(capacity: room)
    guard encode(&sender, now, &packet) else {
      throw Fault(description: "nothing to encode, or no room for it in \(room) octets")
    }
    return (0..<packet.count).map { packet[$0] }
  }

  /// Appends a datagram between these ports to the capture file, and lets one millisecond pass.
  private mutating func append(_ datagram: [UInt8], from source: UInt16, to destination: UInt16) {
    file.append(datagram, from: source, to: destination, at: now.nanoseconds)
    now = now + .milliseconds(1)
  }

  /// The datagram that `output` requests, with its destination and port; nil for other outputs.
  private func datagram(of output: Endpoint.Output, by endpoint: Endpoint) -> ([UInt8], SocketAddress, Port)? {
    var packet = RigidArray<UInt8>(capacity: 100)
    switch output {
    case .send(let datagram, let address, _, let port): return (datagram, address, port)
    case .extensionPacket(let session, let address, _):
      endpoint.sendProbe(on: session) { probe, _ in
        var probe = probe
        probe.transmit = now
        return probe.append(to: &packet) ? now : nil
      }
      return ((0..<packet.count).map { packet[$0] }, address, .data)
    case .clockPacket(let session, let address, _):
      _ = endpoint.clockPacket(on: session, sentAt: now)?.append(to: &packet)
      return ((0..<packet.count).map { packet[$0] }, address, .data)
    default: return nil
    }
  }

  /// Delivers datagrams between the endpoints until neither has output.
  private mutating func exchange() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      // The sender, the receiver, and the control port of the sender.
      for (from, to, control) in [(inviter, invited, 5004 as UInt16), (invited, inviter, 5006)] {
        for output in from.drain() {
          guard let (datagram, address, port) = datagram(of: output, by: from) else { continue }
          let source = port == .control ? control : control + 1
          append(datagram, from: source, to: address.port)
          to.receive(datagram, from: Self.address(source), port: address.port % 2 == 0 ? .control : .data, at: now)
          isQuiet = false
        }
      }
    }
  }
}
