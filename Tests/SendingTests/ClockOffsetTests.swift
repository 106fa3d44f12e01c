import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Sending
import Testing

/// The offsets of receivers of the clock (`--clock-offset`). A tick takes 20 ms.
@Suite struct ClockOffsetTests {
  private static let tempo = Tempo(nanosecondsPerQuarter: 480_000_000)!
  private static let (early, late) = (Nanoseconds.milliseconds(-70), Nanoseconds.milliseconds(33))

  private func offsetSender() -> VirtualSender { VirtualSender(offsets: [Self.early, Self.late]) }

  /// A message, and when it was sent and takes effect: milliseconds after the origin.
  private struct Sent: Equatable {
    let message: Message
    let sent: Int64
    let effective: Int64

    init(_ message: Message, sent: Int64, effective: Int64) {
      (self.message, self.sent, self.effective) = (message, sent, effective)
    }
  }

  private func take(_ virtual: VirtualSender, to receiver: Int) -> [Sent] {
    virtual.takePackets(to: receiver).flatMap { packet in
      packet.messages.map { message in
        // The units of an RTP time stamp are 100 us (``RTPHeader``).
        let units = Int32(bitPattern: packet.timestamp &- RTPHeader.timestamp(of: VirtualSender.origin))
        return Sent(message, sent: packet.sent.count / 1_000_000, effective: Int64(units) / 10)
      }
    }
  }

  /// The messages of a run of ten ticks to a play-on-arrival receiver with this offset in milliseconds.
  private func expected(_ offset: Int64) -> [Sent] {
    [Sent(.start, sent: offset - 10, effective: offset)]
      + (0..<10).map { Sent(.clock, sent: 20 * $0 + offset, effective: 20 * $0 + offset) }
      + [Sent(.stop, sent: 200 + offset, effective: 200 + offset)]
  }

  @Test func allMessagesOfTheClockAreShifted() {
    let virtual = offsetSender()
    let (without, early, late) = (virtual.open(), virtual.open(offset: Self.early), virtual.open(offset: Self.late))
    virtual.sender.adopt(VirtualSender.schedule(end: 10), at: virtual.now)
    virtual.play(from: .milliseconds(-200), to: .milliseconds(400))
    #expect(take(virtual, to: without) == expected(0))
    #expect(take(virtual, to: early) == expected(-70))
    #expect(take(virtual, to: late) == expected(33))
  }

  @Test func timeStampReceiverGetsShiftedStamps() {
    let virtual = offsetSender()
    let stamped = virtual.open(offset: Self.late, isTimeStamped: true)
    virtual.sender.adopt(VirtualSender.schedule(end: 10), at: virtual.now)
    virtual.play(from: .milliseconds(-200), to: .milliseconds(400))
    let expected =
      [Sent(.start, sent: -95, effective: 33)]
      + (0..<10).map { Sent(.clock, sent: 20 * $0 - 90, effective: 20 * $0 + 33) }
      + [Sent(.stop, sent: 110, effective: 233)]
    #expect(take(virtual, to: stamped) == expected)
  }

  @Test func tuttiPeerHasNoOffset() {
    let virtual = offsetSender()
    let peer = virtual.open(offset: Self.late)
    virtual.execute(.recognise(virtual.streams[peer]))
    virtual.execute(.setOffset(virtual.streams[peer], Self.early))
    virtual.sender.adopt(VirtualSender.schedule(end: 10), at: virtual.now)
    virtual.play(from: .milliseconds(-200), to: .milliseconds(400))
    #expect(take(virtual, to: peer) == expected(0))
  }

  /// A late joiner with an offset begins with Song Position and Continue, which are shifted too.
  @Test func lateJoinerBeginsAtTheShiftedBar() {
    let virtual = offsetSender()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-200), to: .milliseconds(300))
    let late = virtual.open(offset: Self.early)
    virtual.play(from: .milliseconds(300), to: .milliseconds(1875))
    #expect(
      take(virtual, to: late) == [
        Sent(.songPosition(UInt14(clamping: 16)), sent: 1840, effective: 1850),
        Sent(.continue, sent: 1840, effective: 1850), Sent(.clock, sent: 1850, effective: 1850),
        Sent(.clock, sent: 1870, effective: 1870),
      ])
  }

  @Test func localReceiversGetShiftedEvents() {
    let virtual = offsetSender()
    virtual.sender.adopt(VirtualSender.schedule(end: 2), at: virtual.now)
    virtual.play(from: .milliseconds(-200), to: .milliseconds(-45))
    #expect(virtual.events.filter { $0.hasSuffix("by 1") } == ["begin 0 by 1", "tick 0 by 1", "tick 1 by 1"])
    virtual.removeEvents()
    virtual.play(from: .milliseconds(-45), to: .milliseconds(100))
    #expect(
      virtual.events.filter { !$0.hasPrefix("step") } == [
        "end by 1", "begin 0", "tick 0", "tick 1", "begin 0 by 2", "tick 0 by 2", "end", "tick 1 by 2", "end by 2",
      ])
  }

  /// A run is replaced: every receiver gets Stop at once, and then the new run with its offset.
  @Test func replacedRunStopsAtOnceAtAllOffsets() {
    let virtual = offsetSender()
    let receivers = [virtual.open(), virtual.open(offset: Self.early), virtual.open(offset: Self.late)]
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-200), to: .milliseconds(90))
    virtual.removePackets()
    virtual.sender.adopt(
      VirtualSender.schedule(run: 2, at: VirtualSender.origin + .milliseconds(500)), at: virtual.now)
    virtual.play(from: .milliseconds(90), to: .milliseconds(620))
    for (receiver, offset) in zip(receivers, [Int64(0), -70, 33]) {
      let sent = take(virtual, to: receiver)
      #expect(sent.map(\.message).prefix(3) == [.stop, .start, .clock])
      #expect(sent.map(\.sent).prefix(3) == [90, 490 + offset, 500 + offset])
    }
  }

  /// The idle clock has the offsets too. Its ticks have the same numbers for all receivers: the distances are always the offsets.
  @Test func idleClockIsShiftedBeforeAndAfterARunAndThroughChangesOfTempo() {
    let virtual = offsetSender()
    let receivers = [virtual.open(), virtual.open(offset: Self.early), virtual.open(offset: Self.late)]
    virtual.sender.setIdleTempo(Self.tempo, at: virtual.now)
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(-701))
    for bpm: Int64 in [300, 470, 130] {
      virtual.sender.setIdleTempo(Tempo(nanosecondsPerQuarter: bpm * 1_000_000), at: virtual.now)
      virtual.play(from: virtual.now - VirtualSender.origin, to: virtual.now - VirtualSender.origin + .milliseconds(60))
    }
    virtual.play(from: .milliseconds(-521), to: .milliseconds(-250))
    virtual.sender.adopt(
      VirtualSender.schedule(end: 10, at: VirtualSender.origin + .milliseconds(3)), at: virtual.now)
    virtual.play(from: .milliseconds(-250), to: .milliseconds(300))
    virtual.sender.setIdleTempo(Tempo(nanosecondsPerQuarter: 240_000_000), at: virtual.now)
    virtual.play(from: .milliseconds(300), to: .milliseconds(1000))
    // The due times without the offsets, in milliseconds after the origin, and the messages. The receivers begin at different ticks.
    let sent = receivers.map { take(virtual, to: $0) }
    let nominal = zip(sent, [Int64(0), -70, 33]).map { sent, offset in
      sent.map { Sent($0.message, sent: 0, effective: $0.effective - offset) }.filter { $0.effective > -900 }
    }
    let count = nominal.map(\.count).min()!
    #expect(count > 100)
    for other in [1, 2] {
      for (a, b) in zip(nominal[0], nominal[other].prefix(count)) {
        #expect(a.message == b.message && abs(a.effective - b.effective) <= 1)
      }
    }
    // After the run, ticks of 20 ms continue its phase, and later ones take 10 ms.
    let after = sent[0].drop { $0.message != .stop }.dropFirst().map(\.sent)
    #expect(after.prefix(5) == [203, 223, 243, 263, 283])
    #expect(zip(after.suffix(20), after.suffix(20).dropFirst()).allSatisfy { $1 - $0 == 10 })
  }
}
