import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Receiving
import Testing
import _TestSupport

/// Datagrams of sessions with a passkey. The remote peer has the SSRC 7 and sends from host 1.
@Suite struct AuthenticationTests {
  private let now = Instant(nanoseconds: 5_000_000_000)
  private let source = SocketAddress(host: 1, port: 5005)
  /// The keys of the local peer. The remote peer has the same two keys, exchanged.
  private let local = SessionKeys(sending: TagKey(low: 1, high: 2), receiving: TagKey(low: 3, high: 4))
  private let remote = SessionKeys(sending: TagKey(low: 3, high: 4), receiving: TagKey(low: 1, high: 2))

  /// A command that opens a session with the remote peer in slot 0.
  private func open(_ keys: SessionKeys?, session: UInt64 = 1) -> ReceivingCommand {
    let source = StreamSource(ssrc: 7, address: source, localSSRC: 9)
    return .open(slot: 0, SessionID(number: session), source, Admission(), keys: keys)
  }

  /// A receiver with memory for eight sessions (``SessionBlock``) that has executed `command`, which opens a session in slot 0. If
  /// `command` is nil, the receiver has no session.
  private func receiver(_ command: ReceivingCommand?, hasPasskey: Bool = true) -> Receiver {
    var receiver = Receiver(identity: 2, hasPasskey: hasPasskey)
    receiver.add(SessionBlock())
    if let command { receiver.execute(command) }
    return receiver
  }

  /// An RTP packet of the remote peer.
  private func packet(sequence: UInt16 = 1) -> [UInt8] {
    var sender = PacketSender(ssrc: 7, sequence: sequence)
    return octets { _ = sender.encode(.clock, at: now, into: &$0) }
  }

  /// A datagram with this content and a tag. The sealer belongs to the thread of the remote peer that sends the datagram.
  private func sealed(_ content: [UInt8], by sealer: inout DatagramSealer, port: Port = .data) -> [UInt8] {
    // The datagram has room for the 16 octets of counter and tag.
    var datagram = rigid(content + [UInt8](repeating: 0, count: 16))
    datagram.removeLast(16)
    sealer.seal(&datagram, port: port, at: now)
    return (0..<datagram.count).map { datagram[$0] }
  }

  /// The authenticity of a datagram as a text: the number of octets of its content if it has a valid tag, otherwise the
  /// name of the result.
  private func authenticity(
    _ datagram: [UInt8], by receiver: inout Receiver, port: Port = .data, from address: SocketAddress? = nil
  ) -> String {
    let header = DatagramHeader(datagram.span)
    switch receiver.authenticate(datagram.span, header, from: address ?? source, port: port) {
    case .unprotected: return "unprotected"
    case .beginning: return "beginning"
    case .authentic(let count): return "\(count)"
    case .refused: return "refused"
    }
  }

  /// The tag covers the port and the number of the datagram. The datagram is therefore refused at the other port, and when it arrives
  /// again.
  @Test func datagramWithATagIsReceivedOnce() {
    var receiver = receiver(open(local))
    var sealer = DatagramSealer(remote, thread: .clock)
    let datagram = sealed(packet(), by: &sealer)
    #expect(authenticity(datagram, by: &receiver, port: .control) == "refused")
    #expect(authenticity(datagram, by: &receiver) == "\(packet().count)")
    #expect(authenticity(datagram, by: &receiver) == "refused")
  }

  /// Everything that belongs to the established session needs a tag. The datagrams are RTP, BY with a token, BY without a token, CK, RS,
  /// TU (a clock probe), the unknown command XX, and octets that are neither RTP nor a command.
  @Test func datagramWithoutATagIsRefused() {
    var receiver = receiver(open(local))
    let ssrc: [UInt8] = [0, 0, 0, 7]
    let rest = [UInt8](repeating: 0, count: 60)
    let datagrams: [[UInt8]] = [
      packet(), [0xFF, 0xFF, 0x42, 0x59, 0, 0, 0, 2, 0, 0, 0, 0] + ssrc, [0xFF, 0xFF, 0x42, 0x59, 0, 0, 0, 2] + ssrc,
      [0xFF, 0xFF, 0x43, 0x4B] + ssrc + rest, [0xFF, 0xFF, 0x52, 0x53] + ssrc + rest,
      [0xFF, 0xFF, 0x54, 0x55, 2, 0, 0, 0] + ssrc + rest, [0xFF, 0xFF, 0x58, 0x58] + ssrc + rest,
      [0, 0, 0, 0, 0, 0, 0, 0] + ssrc,
    ]
    for datagram in datagrams { #expect(authenticity(datagram, by: &receiver) == "refused", "\(datagram)") }
  }

  /// IN, OK, NO and TH (a packet of the passkey handshake) can belong to a session that is only beginning.
  @Test func datagramThatCanBeginASessionNeedsNoTag() {
    var receiver = receiver(open(local))
    for letters in ["IN", "OK", "NO"] {
      let command = [0xFF, 0xFF] + Array(letters.utf8) + [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7]
      #expect(authenticity(command, by: &receiver) == "beginning", "\(letters)")
    }
    let hello = [0xFF, 0xFF] + Array("TH".utf8) + [1, 1, 0, 0, 0, 0, 0, 7] + [UInt8](repeating: 0, count: 24)
    #expect(authenticity(hello, by: &receiver) == "beginning")
  }

  @Test func sourceWithoutKeysIsUnprotected() {
    var without = receiver(open(nil))
    #expect(authenticity(packet(), by: &without) == "unprotected")
    var with = receiver(open(local))
    #expect(authenticity(packet(), by: &with, from: SocketAddress(host: 2, port: 5005)) == "unprotected")
  }

  /// The tags of a session are not valid in the next session in the same slot.
  @Test func nextSessionHasItsOwnKeys() {
    var receiver = receiver(open(local))
    var sealer = DatagramSealer(remote, thread: .clock)
    receiver.execute(.close(slot: 0, SessionID(number: 1)))
    let next = SessionKeys(sending: TagKey(low: 5, high: 6), receiving: TagKey(low: 7, high: 8))
    receiver.execute(open(next, session: 2))
    #expect(authenticity(sealed(packet(), by: &sealer), by: &receiver) == "refused")
    var other = DatagramSealer(SessionKeys(sending: next.receiving, receiving: next.sending), thread: .clock)
    #expect(authenticity(sealed(packet(), by: &other), by: &receiver) == "\(packet().count)")
  }

  /// Of the packets that arrive shortly before the session begins, only packets with a tag are received. Their tag is
  /// removed.
  @Test func earlyPacketNeedsATag() throws {
    var receiver = receiver(nil)
    var sealer = DatagramSealer(remote, thread: .clock)
    let (forged, genuine) = (packet(sequence: 5), sealed(packet(sequence: 6), by: &sealer))
    for datagram in [forged, genuine] { _ = receiver.receive(datagram.span, from: source, at: now) }
    receiver.execute(open(local))
    let first = receiver.takeEarlyPacket(at: now)
    let early = try #require(first)
    // Octet 3 is the low octet of the sequence number.
    #expect(early.count == packet().count && early.octets[3] == 6)
    let second = receiver.takeEarlyPacket(at: now)
    #expect(second == nil)
  }

  /// The sealer of the receiver numbers the replies. The setter of the subscript stores the sealer with its count, so that no reply has
  /// the number of an earlier reply. The remote peer therefore accepts all replies.
  @Test func replyHasATag() throws {
    var receiver = receiver(open(local))
    var opener = DatagramOpener(remote)
    for _ in 0..<3 {
      var sealer = receiver[sealerFor: 7, onHostOf: source]
      #expect(sealer != nil)
      var datagram = rigid([1, 2, 3] + [UInt8](repeating: 0, count: 16))
      datagram.removeLast(16)
      sealer?.seal(&datagram, port: .data, at: now)
      receiver[sealerFor: 7, onHostOf: source] = sealer
      let count = opener.open(datagram.span, port: .data)
      #expect(count == 3)
    }
  }

  /// If the local peer has a passkey, a device in session without keys gets no answer to a clock probe, because it
  /// counts as a standard device. It gets an answer to CK0.
  @Test(arguments: [true, false]) func probeOfADeviceWithoutThePasskeyIsNotAnswered(hasPasskey: Bool) {
    var receiver = receiver(open(nil), hasPasskey: hasPasskey)
    let probe = octets { _ = ClockProbe(ssrc: 7, identity: 5, sentAt: now).append(to: &$0) }
    let request = octets { _ = ClockPacket(ssrc: 7, sentAt: now).append(to: &$0) }
    let answersProbe = receiver.reply(to: probe.span, from: source, at: now, sentAt: now) != nil
    let answersRequest = receiver.reply(to: request.span, from: source, at: now, sentAt: now) != nil
    #expect(answersProbe == !hasPasskey && answersRequest)
  }
}
