import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// The receiving half of sessions. Session n has slot n, SSRC 10 + n and data port 5005 on host n.
@Suite struct ReceiverTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  private func address(_ n: Int) -> SocketAddress { SocketAddress(host: UInt32(n), port: 5005) }

  private func open(_ n: Int) -> ReceivingCommand {
    let source = StreamSource(ssrc: UInt32(10 + n), address: address(n), localSSRC: UInt32(n))
    return .open(slot: n, SessionID(number: UInt64(n)), source, Admission())
  }

  /// A receiver with memory for `count` sessions.
  private func receiver(for count: Int = 64, identity: UInt64 = 1) -> Receiver {
    var receiver = Receiver(identity: identity)
    while receiver.capacity < count { receiver.add(SessionBlock()) }
    return receiver
  }

  private func sender(_ n: Int) -> PacketSender { PacketSender(ssrc: UInt32(10 + n), sequence: 0) }

  /// The receptions of a packet from host `n`.
  private func receive(_ packet: [UInt8], from n: Int, by receiver: inout Receiver) -> [Reception] {
    var receptions = [receiver.receive(packet.span, from: address(n), at: now)]
    while let output = receiver.next(in: packet.span) {
      if case .reception(let reception) = output { receptions.append(reception) }
    }
    return receptions
  }

  private func messages(_ receptions: [Reception]) -> [Message] {
    receptions.compactMap { if case .message(_, let message, _, _, _, _) = $0 { message } else { nil } }
  }

  /// The number of the session that has received the packet; nil if its source is unknown.
  private func session(_ receptions: [Reception]) -> UInt64? {
    if case .packet(let session, _, _) = receptions.first { session.number } else { nil }
  }

  @Test func packetsReachTheSessionOfTheirSource() throws {
    var receiver = receiver()
    for n in 0..<3 { receiver.execute(open(n)) }
    for n in [2, 0, 1] {
      var sender = sender(n)
      let message = Message.songSelect(UInt7(masking: UInt8(n)))
      let packet = octets { _ = sender.encode(message, at: now, into: &$0) }
      let receptions = receive(packet, from: n, by: &receiver)
      #expect(session(receptions) == UInt64(n) && messages(receptions) == [message])
      #expect(session(receive(packet, from: n + 1, by: &receiver)) == nil, "the address of another session")
    }
  }

  /// The slot of a session that has ended is used again. A later packet of the ended session has an unknown source. The new session
  /// has the statistics of its own stream.
  @Test func slotIsUsedAgain() throws {
    var receiver = receiver()
    receiver.execute(open(0))
    var old = sender(0)
    // The receiver gets the old stream from packet 5 on.
    for _ in 0..<5 { _ = octets { _ = old.encode(.clock, at: now, into: &$0) } }
    let packet = octets { _ = old.encode(.clock, at: now, into: &$0) }
    _ = receive(packet, from: 0, by: &receiver)
    receiver.execute(.close(slot: 0, SessionID(number: 0)))
    let later = octets { _ = old.encode(.clock, at: now, into: &$0) }
    guard case .unknownSource(10, _, _) = receive(later, from: 0, by: &receiver).first else {
      Issue.record("the source of the ended session is not unknown")
      return
    }
    let source = StreamSource(ssrc: 99, address: address(7), localSSRC: 1)
    receiver.execute(.open(slot: 0, SessionID(number: 5), source, Admission()))
    // A command for the ended session has no effect.
    receiver.execute(.close(slot: 0, SessionID(number: 0)))
    var new = PacketSender(ssrc: 99, sequence: 700)
    let first = octets { _ = new.encode(.clock, at: now, into: &$0) }
    let receptions = receive(first, from: 7, by: &receiver)
    guard case .packet(let session, let report, _) = receptions.first else {
      Issue.record("the new session has not received the packet")
      return
    }
    #expect(session.number == 5 && report.highestSequence == 700 && report.lost == 0)
  }

  /// Packets that arrive before the control thread has opened their session are received as soon as it is open, in order.
  @Test func packetsBeforeTheSessionAreReceivedWhenItIsOpen() throws {
    var receiver = receiver()
    var sender = sender(1)
    for number in 0..<3 as Range<UInt8> {
      let packet = octets { _ = sender.encode(.songSelect(UInt7(masking: number)), at: now, into: &$0) }
      #expect(messages(receive(packet, from: 1, by: &receiver)) == [])
    }
    receiver.execute(open(0))
    #expect(receiver.takeEarlyPacket(at: now) == nil, "a packet of another source")
    receiver.execute(open(1))
    var songs: [Message] = []
    while let packet = receiver.takeEarlyPacket(at: now + .milliseconds(500)) {
      let octets = (0..<packet.count).map { packet.octets[$0] }
      songs += messages(receive(octets, from: 1, by: &receiver))
    }
    #expect(songs == [.songSelect(0), .songSelect(1), .songSelect(2)])
    // A packet that arrived more than 500 ms ago belongs to an earlier session.
    receiver.execute(.close(slot: 1, SessionID(number: 1)))
    let packet = octets { _ = sender.encode(.tuneRequest, at: now, into: &$0) }
    _ = receive(packet, from: 1, by: &receiver)
    receiver.execute(open(1))
    #expect(receiver.takeEarlyPacket(at: now + .milliseconds(501)) == nil)
  }

  @Test func requestsForTheClockAreAnsweredWithinSessionsOnly() throws {
    var receiver = receiver(identity: 77)
    receiver.execute(open(1))
    receiver.execute(.limitProbes(40))
    let request = octets { _ = ClockProbe(ssrc: 11, identity: 5, sentAt: now).append(to: &$0) }
    let left = now + .milliseconds(1)
    guard case .probe(let reply)? = receiver.reply(to: request.span, from: address(1), at: now, sentAt: left) else {
      Issue.record("no answer to the clock probe of the peer in session")
      return
    }
    #expect(reply.kind == .reply && reply.ssrc == 1 && reply.identity == 77 && reply.rateLimit == 40)
    #expect(reply.origin == now && reply.receive == now && reply.transmit == left)
    #expect(receiver.reply(to: request.span, from: address(0), at: now, sentAt: left) == nil)
    let stranger = octets { _ = ClockProbe(ssrc: 12, identity: 5, sentAt: now).append(to: &$0) }
    #expect(receiver.reply(to: stranger.span, from: address(1), at: now, sentAt: left) == nil)
    let clock = octets { _ = ClockPacket(ssrc: 11, sentAt: now).append(to: &$0) }
    guard case .clockPacket(let answer)? = receiver.reply(to: clock.span, from: address(1), at: now, sentAt: left)
    else {
      Issue.record("no answer to the CK0 of the peer in session")
      return
    }
    #expect(answer.count == 1 && answer.ssrc == 1)
    let acknowledged = octets { _ = answer.append(to: &$0) }
    #expect(receiver.reply(to: acknowledged.span, from: address(1), at: now, sentAt: left) == nil, "CK1 is no request")
  }

  /// The receiver finds sources by SSRC and address. Each SSRC belongs to three sources on different hosts. The SSRC of a reply is the
  /// local SSRC of the session, and thus shows which source was found.
  @Test func aThousandSourcesAreFoundInAnyOrder() throws {
    var random = SplitMix(seed: 1)
    let count = 1100
    var receiver = receiver(for: count)
    func source(_ n: Int) -> StreamSource {
      StreamSource(ssrc: UInt32(n / 3), address: address(n), localSSRC: UInt32(n))
    }
    for n in (0..<count).shuffled(using: &random) {
      receiver.execute(.open(slot: n, SessionID(number: UInt64(n)), source(n), Admission()))
    }
    func localSSRC(_ ssrc: Int, at host: Int) -> UInt32? {
      let request = octets { _ = ClockProbe(ssrc: UInt32(ssrc), identity: 5, sentAt: now).append(to: &$0) }
      guard case .probe(let reply)? = receiver.reply(to: request.span, from: address(host), at: now, sentAt: now)
      else { return nil }
      return reply.ssrc
    }
    #expect((0..<count).allSatisfy { localSSRC($0 / 3, at: $0) == UInt32($0) })
    // The source on host n + 3 has another SSRC.
    #expect((0..<count).allSatisfy { localSSRC($0 / 3, at: $0 + 3) == nil })
    for n in stride(from: 0, to: count, by: 2) { receiver.execute(.close(slot: n, SessionID(number: UInt64(n)))) }
    #expect((0..<count).allSatisfy { localSSRC($0 / 3, at: $0) == ($0 % 2 == 0 ? nil : UInt32($0)) })
  }
}
