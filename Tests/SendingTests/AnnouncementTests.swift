import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending
import Testing

/// The announcement of packets with notes that begin later: the next packets repeat the time stamp of such a packet. If the packet
/// with the note is lost, a recovery journal repairs the note, and the announced time stamp is the instant of the note.
@Suite struct AnnouncementTests {
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
  private let control = Message.controlChange(Channel(2)!, controller: 1, value: 5)

  /// After a note, all packets to a Tutti peer that leave before the instant of the note announce its time stamp.
  /// Packets to a standard device have no header extension.
  @Test func packetsAnnounceANoteUntilItsInstant() {
    let virtual = VirtualSender()
    let (peer, device) = (virtual.open(isTuttiPeer: true), virtual.open())
    let due = VirtualSender.origin + .milliseconds(-800)
    virtual.advance(to: .milliseconds(-1000))
    for receiver in [peer, device] {
      virtual.execute(.message(StreamMessage(note, at: due, to: .stream(virtual.streams[receiver]))))
    }
    for time in [-990, -900, -801, -800, -700] as [Int64] {
      virtual.advance(to: .milliseconds(time))
      for receiver in [peer, device] { virtual.send(control, to: receiver) }
    }
    virtual.advance(to: .milliseconds(-600))
    let packets = virtual.takePackets(to: peer).filter { $0.messages == [control] }
    #expect(packets.map(\.announced) == [due, due, due, nil, nil].map { $0.map { RTPHeader.timestamp(of: $0) } })
    #expect(packets.map(\.sendInstant) == packets.map { VirtualSender.origin + $0.sent })
    // The announcement of one packet is a word of four octets. The last packet announces none.
    #expect(packets.map(\.length).first == 4 + (packets.last?.length ?? 0))
    #expect(virtual.takePackets(to: device).allSatisfy { $0.announced == nil && $0.sendInstant == nil })
  }

  /// Of more than three notes, the newest three are announced. A note that takes effect at once and a controller are
  /// not announced.
  @Test func onlyTheNewestNotesInAdvanceAreAnnounced() {
    let virtual = VirtualSender()
    let peer = virtual.open(isTuttiPeer: true)
    virtual.advance(to: .milliseconds(-1000))
    for (number, message) in [control, note, note, note, note].enumerated() {
      let due = VirtualSender.origin + .milliseconds(Int64(number) * 10 - 500)
      virtual.execute(.message(StreamMessage(message, at: due, to: .stream(virtual.streams[peer]))))
    }
    virtual.send(note, to: peer)
    virtual.send(control, to: peer)
    virtual.advance(to: .milliseconds(-999))
    let packets = virtual.takePackets(to: peer)
    let plain = packets.first?.length ?? 0
    // Each announced packet adds a word of four octets. The controller (packet 0) is not announced, so the second note (packet 2) is the
    // first packet with an announcement. The last controller (packet 6) announces three of the four notes in advance.
    #expect(packets.prefix(5).map { $0.length - plain } == [0, 0, 4, 8, 12])
    #expect(packets.count >= 7 && packets[6].length == plain + 12)
    // `announced` is the common time stamp of the announced packets (``VirtualSender/Packet``).
    #expect(packets[6].announced == nil, "the time stamps differ")
  }
}
