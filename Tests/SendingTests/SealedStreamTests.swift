import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import RTPMIDI
import Sending
import Testing

/// RTP streams of sessions with a passkey.
@Suite struct SealedStreamTests {
  private let now = Instant(nanoseconds: 5_000_000_000)
  /// The keys of the sender. The receiver has the same two keys, exchanged.
  private let local = SessionKeys(sending: TagKey(low: 1, high: 2), receiving: TagKey(low: 3, high: 4))
  private let remote = SessionKeys(sending: TagKey(low: 3, high: 4), receiving: TagKey(low: 1, high: 2))

  /// The packets of three Note Ons to a Tutti peer, each sent a millisecond after the one before.
  private func packets(_ keys: SessionKeys?) -> [[UInt8]] {
    var sender = StreamSender(
      capacity: 4, tickLead: .milliseconds(90), soundLead: .milliseconds(50),
      reportsTicks: false)
    var ids = StreamIDAllocator()
    let id = ids.allocate()
    let address = SocketAddress(host: 1, port: 5005)
    sender.execute(.open(id, to: address, from: nil, ssrc: 1, sequence: 0, takesClock: true, keys: keys))
    sender.execute(.recognise(id))
    var packets: [[UInt8]] = []
    for n in Int64(0)..<3 {
      let instant = now + .milliseconds(n)
      let note = Message.noteOn(Channel(wire: 1), key: 60, velocity: 100)
      sender.execute(.message(StreamMessage(note, at: nil, to: .stream(id))))
      while let output = sender.poll(at: instant) {
        guard case .packet(let transmission) = output else { continue }
        sender.seal(transmission, sentAt: instant)
        packets.append((0..<sender.packet.count).map { sender.packet[$0] })
        sender.finish(transmission, isAccepted: true)
      }
    }
    return packets
  }

  /// The sender writes the send instant into the packet before it appends the tag, so the tag covers the send instant.
  @Test func packetHasATagAfterTheSendInstant() throws {
    let packets = packets(local)
    #expect(packets.count == 3)
    var opener = DatagramOpener(remote)
    for (n, packet) in packets.enumerated() {
      let count = opener.open(packet.span, port: .data)
      #expect(count == packet.count - DatagramSealer.length)
      let (header, _) = try RTPHeader.decode(packet.span)
      #expect(header.sendInstant(in: packet.span) == now + .milliseconds(Int64(n)))
    }
  }

  @Test func packetWithoutKeysHasNoTag() {
    let (with, without) = (packets(local), packets(nil))
    #expect(with.map { $0.count - DatagramSealer.length } == without.map(\.count))
  }
}
