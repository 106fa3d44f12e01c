import CAllocationCount
import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Sending
import Testing

/// Counts the allocations of the real-time functions at run time. The debug build also proves by the attributes of these
/// functions that they do not allocate.
@Suite struct AllocationTests {
  /// The receivers are a standard device with an offset, a Tutti peer without a journal, and a Tutti peer with one. Commands are executed
  /// between the ticks. The idle clock ticks before and after the rhythm.
  @Test func tenThousandTicksToThreeKindsOfReceiversAllocateNothing() throws {
    var sender = StreamSender(
      capacity: 4, tickLead: .milliseconds(90), soundLead: .milliseconds(50),
      reportsTicks: true, offsets: [.milliseconds(-12)])
    var ids = StreamIDAllocator()
    let streams = (0..<3).map { _ in ids.allocate() }
    // 78 octets are an arbitrary length.
    let exclusive = try #require(SystemExclusiveData([UInt8](repeating: 0x7D, count: 78)))
    let note = StreamMessage(.noteOn(Channel(wire: 1), key: 60, velocity: 100), at: nil, to: .tuttiPeers)
    let address = SocketAddress(host: 1, port: 5005)
    for (number, stream) in streams.enumerated() {
      sender.execute(.open(stream, to: address, ssrc: 1, sequence: 0, takesClock: true))
      let (isTuttiPeer, hasJournal) = (number > 0, number > 1)
      if isTuttiPeer { sender.execute(.recognise(stream)) }
      sender.execute(.setTimeStamped(stream, isTuttiPeer))
      sender.execute(.setJournal(stream, hasJournal))
    }
    sender.execute(.setOffset(streams[0], .milliseconds(-12)))
    // A stream that is opened and closed again and again.
    let extra = ids.allocate()
    let tempo = Tempo(nanosecondsPerQuarter: 480_000_000)!
    let change = TempoChange(tempo: try Tempo(bpm: 180), tick: Tick(5_000))
    sender.adopt(VirtualSender.schedule(end: 10_000, change: change), at: VirtualSender.origin - .seconds(1))
    // One call beforehand, because the Swift runtime allocates type metadata at first use.
    _ = sender.poll(at: VirtualSender.origin - .seconds(1))
    allocation_count_begin()
    sender.setIdleTempo(tempo, at: VirtualSender.origin - .milliseconds(95))
    // The first deadline: Start leaves for the Tutti peers, 5 ms before the first tick, which leaves 90 ms ahead.
    var now = VirtualSender.origin - .milliseconds(95)
    var (ticks, idleTicks, packets, wakings) = (0, 0, 0, 0)
    // The limit ends the test if the sender never becomes idle.
    while now < .distantFuture, wakings < 100_000 {
      while let output = sender.poll(at: now) {
        switch output {
        case .packet(let transmission):
          sender.seal(transmission, sentAt: now)
          sender.finish(transmission, isAccepted: true)
          packets += 1
        case .tick: ticks += 1
        case .idleTick: idleTicks += 1
        default: break
        }
      }
      wakings += 1
      now = sender.nextDeadline
      if idleTicks == 100 { sender.setIdleTempo(nil, at: now) }
      // After the last tick, no command is executed. Messages would cause further guard packets, and the sender would never
      // become idle.
      guard sender.isReady, ticks < 10_000 else { continue }
      switch wakings % 5 {
      case 0: sender.execute(.exclusive(exclusive, to: nil, isJournalled: wakings % 2 == 0))
      case 1: sender.execute(.message(note))
      case 2: sender.execute(.open(extra, to: address, ssrc: 1, sequence: 0, takesClock: true))
      case 3:
        // Stream 2 begins with packet 0 and gets about a third of all packets. So its packet `packets / 4` has been sent,
        // and later packets remain unacknowledged.
        sender.execute(.acknowledge(streams[2], sequence: UInt16(truncatingIfNeeded: packets / 4)))
      default: sender.execute(.close(extra))
      }
    }
    // `stopStreams` must not allocate either. Its instant is arbitrary, because the run has ended and no poll follows.
    sender.stopStreams(at: VirtualSender.origin)
    let allocations = allocation_count_end()
    let sent = sender.sent
    #expect(allocations == 0)
    // Three receivers get 10 000 ticks each, and other packets.
    #expect(ticks == 10_000 && idleTicks == 100 && packets > 30_000 && Int64(packets) == sent)
  }
}
