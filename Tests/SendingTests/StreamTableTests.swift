import MIDI
import MusicalTime
import RTPMIDI
import Sending
import Testing

/// The slots of the streams, the memory for them, and the order of packets to several streams.
@Suite struct StreamTableTests {
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)

  @Test func allocatorReturnsTheLowestFreeSlotAndNewIdentifiers() {
    var allocator = StreamIDAllocator()
    let first = (0..<4).map { _ in allocator.allocate() }
    #expect(first.map(\.slot) == [0, 1, 2, 3])
    allocator.release(first[2])
    allocator.release(first[1])
    let second = (0..<3).map { _ in allocator.allocate() }
    #expect(second.map(\.slot) == [1, 2, 4])
    #expect(Set(first + second).count == 7)
  }

  @Test func streamBeyondTheCapacityIsNotServed() {
    let virtual = VirtualSender(capacity: 2)
    for _ in 0..<3 { virtual.open() }
    #expect(virtual.openStreams == Array(virtual.streams.prefix(2)))
    virtual.send(note, to: .standardDevices)
    virtual.send(note, to: 2)
    virtual.advance(to: .zero)
    #expect(virtual.packets.map(\.receiver) == [0, 1])
  }

  /// Each stream gets its first note as soon as it is open, and a second note at the end.
  @Test func reservedMemoryIncreasesTheCapacityAndKeepsTheStreams() {
    let virtual = VirtualSender(capacity: 0)
    for count in 1...3 {
      virtual.sender.reserve(count)
      virtual.open(hasJournal: true)
      virtual.send(note, to: count - 1)
    }
    virtual.send(note, to: .standardDevices)
    virtual.advance(to: .zero)
    #expect(virtual.packets.map(\.receiver) == [0, 1, 2, 0, 1, 2])
    #expect(virtual.packets.map(\.sequence) == [0, 0, 0, 1, 1, 1])
  }

  @Test func commandForAClosedStreamDoesNotReachTheNextStreamInItsSlot() {
    let virtual = VirtualSender()
    virtual.open()
    virtual.close(0)
    virtual.open()
    virtual.send(note, to: 0)
    virtual.execute(.close(virtual.streams[0]))
    virtual.execute(.exclusive(SystemExclusiveData([0x7D])!, to: virtual.streams[0], isJournalled: false))
    virtual.advance(to: .zero)
    #expect(virtual.packets == [])
    #expect(virtual.openStreams == [virtual.streams[1]])
  }

  /// Both streams have the same slot. The command that closes the first stream was lost.
  @Test func openCommandReplacesTheStreamInItsSlot() {
    let virtual = VirtualSender()
    var allocator = StreamIDAllocator()
    for receiver in 0..<2 {
      let id = allocator.allocate()
      allocator.release(id)
      virtual.execute(
        .open(id, to: SocketAddress(host: UInt32(receiver), port: 1), ssrc: 1, sequence: 0, takesClock: true))
    }
    virtual.send(note, to: .standardDevices)
    virtual.advance(to: .zero)
    #expect(virtual.packets.map(\.receiver) == [1])
  }

  @Test func packetsToSeveralStreamsAreSentInTheOrderOfOpening() {
    let virtual = VirtualSender()
    for _ in 0..<4 { virtual.open() }
    virtual.close(1)
    virtual.open()
    #expect(virtual.streams[4].slot == 1)
    virtual.send(note, to: .standardDevices)
    virtual.advance(to: .zero)
    #expect(virtual.packets.map(\.receiver) == [0, 2, 3, 4])
  }

  @Test func onlyPacketsToTuttiPeersCarryTheSendInstant() {
    let virtual = VirtualSender()
    let (device, tutti) = (virtual.open(), virtual.open(isTuttiPeer: true))
    virtual.sender.adopt(VirtualSender.schedule(end: 5), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(200))
    let (toDevice, toTutti) = (virtual.takePackets(to: device), virtual.takePackets(to: tutti))
    // Start, five ticks and Stop.
    #expect(toDevice.count == 7 && toDevice.allSatisfy { $0.sendInstant == nil })
    #expect(toTutti.count == 7 && toTutti.allSatisfy { $0.sendInstant == VirtualSender.origin + $0.sent })
  }

  @Test func systemExclusiveDataHasALimit() {
    #expect(SystemExclusiveData([UInt8](repeating: 1, count: SystemExclusiveData.capacity + 1)) == nil)
    let octets = (0..<SystemExclusiveData.capacity).map { UInt8(truncatingIfNeeded: $0) }
    #expect(SystemExclusiveData(octets)?.array == octets)
  }
}
