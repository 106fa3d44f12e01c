import CAllocationCount
import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Sending
import Testing

/// Counts the allocations of the real-time functions at run time. The debug build proves by their attributes that they do not
/// allocate.
@Suite struct AllocationTests {
  /// The receivers are a standard device, a Tutti peer without a journal, and a Tutti peer with one. Commands are executed between
  /// the ticks.
  @Test func tenThousandTicksToThreeKindsOfReceiversAllocateNothing() throws {
    var sender = StreamSender(
      capacity: 4, tickLead: .milliseconds(90), soundLead: .milliseconds(50),
      bars: Bars(stepsPerBar: 16, stepsPerPattern: 16), reportsTicks: true)
    var ids = StreamIDAllocator()
    let streams = (0..<3).map { _ in ids.allocate() }
    let exclusive = try #require(SystemExclusiveData([UInt8](repeating: 0x7D, count: 78)))
    let note = StreamMessage(.noteOn(Channel(wire: 1), key: 60, velocity: 100), at: nil, to: .tuttiPeers)
    let address = SocketAddress(host: 1, port: 5005)
    for (number, stream) in streams.enumerated() {
      sender.execute(.open(stream, to: address, ssrc: 1, sequence: 0, takesClock: true))
      if number > 0 { sender.execute(.recognise(stream)) }
      sender.execute(.setTimeStamped(stream, number > 0))
      sender.execute(.setJournal(stream, number > 1))
    }
    let extra = ids.allocate()
    let change = TempoChange(tempo: try Tempo(bpm: 180), tick: Tick(5_000))
    sender.adopt(VirtualSender.schedule(end: 10_000, change: change), at: VirtualSender.origin - .seconds(1))
    // One call beforehand, because the Swift runtime allocates type metadata at first use.
    _ = sender.poll(at: VirtualSender.origin - .seconds(1))
    allocation_count_begin()
    var now = VirtualSender.origin - .milliseconds(95)
    var (ticks, packets, steps) = (0, 0, 0)
    while now < .distantFuture, steps < 100_000 {
      while let output = sender.poll(at: now) {
        switch output {
        case .packet(let transmission):
          sender.seal(transmission, sentAt: now)
          sender.finish(transmission, isAccepted: true)
          packets += 1
        case .tick: ticks += 1
        default: break
        }
      }
      steps += 1
      now = sender.nextDeadline
      guard sender.isReady, ticks < 10_000 else { continue }
      switch steps % 5 {
      case 0: sender.execute(.exclusive(exclusive, to: nil, isJournalled: steps % 2 == 0))
      case 1: sender.execute(.message(note))
      case 2: sender.execute(.open(extra, to: address, ssrc: 1, sequence: 0, takesClock: true))
      case 3: sender.execute(.acknowledge(streams[2], sequence: UInt16(truncatingIfNeeded: packets / 4)))
      default: sender.execute(.close(extra))
      }
    }
    sender.stopStreams(at: VirtualSender.origin)
    let allocations = allocation_count_end()
    let sent = sender.sent
    #expect(allocations == 0)
    #expect(ticks == 10_000 && packets > 30_000 && Int64(packets) == sent)
  }
}
