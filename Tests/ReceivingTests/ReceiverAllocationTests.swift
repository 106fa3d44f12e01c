import CAllocationCount
import MIDI
import MusicalTime
import PeerProtocol
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// Counts the allocations of the real-time functions at run time.
@Suite struct ReceiverAllocationTests {
  /// A tenth of the packets are lost and repaired from the journal. Sessions begin and end in between, and packets of unknown
  /// sources arrive.
  @Test func tenThousandPacketsAllocateNothing() throws {
    var receiver = Receiver(identity: 1)
    receiver.add(SessionBlock())
    let now = Instant(nanoseconds: 1_000_000_000)
    let address = SocketAddress(host: 1, port: 5005)
    var sender = PacketSender(ssrc: 7, sequence: 0)
    sender.sendsJournal = true
    sender.sendsInstants = true
    var packets: [[UInt8]] = []
    for n in 0..<10_000 {
      let key = UInt7(masking: UInt8(n / 2 % 128))
      let channel = Channel(wire: UInt8(n / 256 % 16))
      let message: Message =
        n % 2 == 0 ? .noteOn(channel, key: key, velocity: 64) : .noteOff(channel, key: key, velocity: 64)
      packets.append(octets { _ = sender.encode(message, at: now, into: &$0) })
      // The feedback is 20 packets late.
      if n % 50 == 49 { sender.acknowledge(UInt16(truncatingIfNeeded: n - 20)) }
    }
    var admission = Admission()
    (admission.notes, admission.modification) = (true, true)
    let (first, second) = (SessionID(number: 1), SessionID(number: 2))
    receiver.execute(.open(slot: 0, first, StreamSource(ssrc: 7, address: address, localSSRC: 1), admission))
    let stranger = SocketAddress(host: 2, port: 1)
    let strangerSource = StreamSource(ssrc: 7, address: stranger, localSSRC: 1)
    // All operations run before the count begins, because the Swift runtime allocates type metadata at first use. Packet 1 is lost.
    for n in [0, 2] {
      let packet = packets[n]
      _ = receiver.receive(packet.span, from: stranger, at: now)
      receiver.execute(.open(slot: 1, second, strangerSource, admission))
      while receiver.takeEarlyPacket(at: now) != nil {}
      receiver.execute(.close(slot: 1, second))
      while receiver.next() != nil {}
      _ = receiver.receive(packet.span, from: address, at: now)
      while receiver.next(in: packet.span) != nil {}
    }
    var (messages, recovered) = (0, 0)
    allocation_count_begin()
    for n in 3..<packets.count where n % 10 != 3 {
      // One packet per millisecond, so that the limit of the session admits all messages.
      let now = now + .milliseconds(Int64(n))
      let packet = packets[n]
      _ = receiver.receive(packet.span, from: address, at: now)
      while let output = receiver.next(in: packet.span) {
        guard case .reception(.message(_, _, _, _, let isRecovered, _)) = output else { continue }
        if isRecovered { recovered += 1 } else { messages += 1 }
      }
      guard n % 100 == 0 else { continue }
      _ = receiver.receive(packet.span, from: stranger, at: now)
      receiver.execute(.open(slot: 1, second, strangerSource, admission))
      while receiver.takeEarlyPacket(at: now) != nil {}
      receiver.execute(.close(slot: 1, second))
      while receiver.next() != nil {}
    }
    let allocations = allocation_count_end()
    // Of the 9997 packets from number 3 on, 1000 are lost: 3, 13 and so on. At least 990 of their messages must be recovered.
    #expect(allocations == 0 && messages == 8997 && recovered >= 990, "\(allocations) \(messages) \(recovered)")
  }
}
