import MIDI
import MusicalTime
import RTPMIDI
import Sending
import Testing

/// Recovery journals and guard packets (RFC 4696, section 4.2).
@Suite struct GuardPacketTests {
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)

  /// A sender with one open stream, whose first packet has the sequence number 100.
  private func sender(hasJournal: Bool = true) -> VirtualSender {
    let virtual = VirtualSender()
    virtual.open(hasJournal: hasJournal, sequence: 100)
    virtual.advance(to: .zero)
    return virtual
  }

  /// Removes the packets. Returns for each packet the sequence number, the number of messages, and 1 if it has a journal or 0 if
  /// it has none.
  private func takePackets(_ virtual: VirtualSender) -> [[Int]] {
    defer { virtual.removePackets() }
    return virtual.packets.map { [Int($0.sequence), $0.messages.count, $0.hasJournal ? 1 : 0] }
  }

  /// Lets `seconds` pass. Removes the packets, which must be guard packets, and returns when they were sent, in milliseconds from
  /// the call.
  private func guardPacketTimes(_ virtual: VirtualSender, seconds: Int64) -> [Int64] {
    let begin = virtual.now - VirtualSender.origin
    for millisecond in 1...seconds * 1000 { virtual.advance(to: begin + .milliseconds(millisecond)) }
    defer { virtual.removePackets() }
    return virtual.packets.map {
      #expect($0.messages.isEmpty && $0.hasJournal)
      return ($0.sent - begin).count / 1_000_000
    }
  }

  @Test func guardPacketsFollowTheLastNoteAndEnd() {
    let virtual = sender()
    virtual.send(note, to: 0)
    virtual.advance(to: .zero)
    #expect(takePackets(virtual) == [[100, 1, 1]])
    // Every 25 ms for half a second, then four at intervals of a second.
    let expected = (1...20).map { 25 * $0 } + (1...4).map { 500 + 1000 * $0 } as [Int64]
    #expect(guardPacketTimes(virtual, seconds: 40) == expected)
    #expect(virtual.nextDeadline == .distantFuture)
  }

  @Test func receiverThatHasAcknowledgedEverythingGetsNoGuardPacket() {
    let virtual = sender()
    virtual.send(note, to: 0)
    virtual.advance(to: .zero)
    // Packet 100 contains the note. Packet 101 is a guard packet. It is the only one, because the sender is not polled between 0 and 50 ms.
    virtual.advance(to: .milliseconds(50))
    #expect(takePackets(virtual).count == 2)
    virtual.execute(.acknowledge(virtual.streams[0], sequence: 101))
    #expect(guardPacketTimes(virtual, seconds: 5) == [])
  }

  /// While the sequencer runs, the journal of the next tick repairs a loss. After Stop, no tick follows.
  @Test func runningSequencerNeedsNoGuardPacket() {
    let virtual = sender()
    for message in [.start, .clock] as [Message] { virtual.send(message, to: 0) }
    virtual.advance(to: .zero)
    #expect(takePackets(virtual).count == 2)
    #expect(guardPacketTimes(virtual, seconds: 2) == [])
    virtual.send(.stop, to: 0)
    // The time is already 2 s and does not go back to zero. The call only sends what is due, which is Stop.
    virtual.advance(to: .zero)
    #expect(takePackets(virtual).count == 1)
    // Twenty in the first half second, and the first of the four at intervals of a second.
    #expect(guardPacketTimes(virtual, seconds: 2).count == 21)
  }

  @Test func streamWithoutJournalHasNoGuardPackets() {
    let virtual = sender(hasJournal: false)
    virtual.send(note, to: 0)
    virtual.advance(to: .zero)
    #expect(takePackets(virtual) == [[100, 1, 0]])
    #expect(guardPacketTimes(virtual, seconds: 5) == [])
  }

  @Test func streamInAReusedSlotHasAnEmptyHistory() {
    let virtual = sender()
    // The history of the first stream contains a hundred notes.
    for key in 0..<100 as Range<UInt8> {
      virtual.send(.noteOn(Channel(1)!, key: UInt7(masking: key), velocity: 1), to: 0)
      virtual.advance(to: .zero)
    }
    virtual.removePackets()
    virtual.close(0)
    virtual.open(sequence: 7)
    #expect(virtual.streams[0].slot == virtual.streams[1].slot)
    virtual.send(note, to: 1)
    virtual.advance(to: .zero)
    #expect(takePackets(virtual) == [[7, 1, 0]])
    // The journal covers the packets from now on, so the journal of the next packet is empty.
    virtual.execute(.setJournal(virtual.streams[1], true))
    virtual.send(note, to: 1)
    virtual.advance(to: .zero)
    // The RTP header, the header of the command section (1 octet), the Note On (3), and the header of the empty journal (3).
    #expect(virtual.packets.map(\.length) == [RTPHeader.length + 1 + 3 + 3])
  }
}
