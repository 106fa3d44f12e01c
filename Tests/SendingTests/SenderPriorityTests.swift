import MIDI
import MusicalTime
import Sending
import Testing

/// The order of due packets (Start, Continue, Stop, and ticks to play-on-arrival receivers) and deferrable packets (messages,
/// ticks that leave ahead of time, guard packets).
@Suite struct SenderPriorityTests {
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)

  /// No deferrable packet is sent in the last 200 us before a deadline (the quiet time). The first deadline is that of the
  /// first step, at -50 ms.
  @Test(arguments: [(201, true), (200, false), (1, false)])
  func deferrablePacketIsNotSentDirectlyBeforeADeadline(microseconds: Int64, isSent: Bool) {
    let virtual = VirtualSender()
    let receiver = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(sends: false), at: virtual.now)
    virtual.advance(to: .milliseconds(-60))
    virtual.send(note, to: receiver)
    let next = virtual.advance(to: .milliseconds(-50) - .microseconds(microseconds))
    #expect(virtual.packets.count == (isSent ? 1 : 0))
    #expect(virtual.isQuiet == !isSent)
    #expect(next == VirtualSender.origin - .milliseconds(50))
    virtual.advance(to: .milliseconds(-50))
    #expect(virtual.packets.count == 1)
  }

  /// The sender gets the message to the standard devices at 10 ms, but is polled only at 20 ms, when tick 1 is due.
  @Test func dueTickGoesBeforeTheMessageInProgress() {
    let virtual = VirtualSender()
    for _ in 0..<3 { virtual.open() }
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(10))
    virtual.removePackets()
    virtual.send(note, to: .standardDevices)
    virtual.advance(to: .milliseconds(20))
    #expect(virtual.packets.flatMap(\.messages) == [.clock, .clock, .clock, note, note, note])
  }

  @Test func timelineMessageGoesBeforeTheTicksThatItDescribes() {
    let virtual = VirtualSender()
    let receivers = (0..<20).map { _ in virtual.open(isTuttiPeer: true) }
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    // The System Exclusive stands for the timeline message.
    virtual.execute(.exclusive(SystemExclusiveData([0x7D, 1])!, to: nil, isJournalled: false))
    // Start (due at -95 ms), the deferrable System Exclusive, and the ticks 0 and 1, which leave 90 ms ahead.
    virtual.advance(to: .milliseconds(-60))
    for receiver in receivers {
      let packets = virtual.takePackets(to: receiver)
      #expect(packets.map(\.hasExclusive) == [false, true, false, false])
      #expect(packets.flatMap(\.messages) == [.start, .clock, .clock])
    }
  }

  /// A peer sends each note of its player twice: to the Tutti peers on the player's channel, and to the standard devices on the
  /// input channel.
  @Test func messageGoesToItsKindOfReceiverOnly() {
    let virtual = VirtualSender()
    let receivers = [virtual.open(), virtual.open(isTuttiPeer: true)]
    let other = Message.noteOn(Channel(7)!, key: 60, velocity: 100)
    virtual.send(note, to: .tuttiPeers)
    virtual.send(other, to: .standardDevices)
    virtual.advance(to: .zero)
    #expect(virtual.messages(to: receivers[0]).map(\.message) == [other])
    #expect(virtual.messages(to: receivers[1]).map(\.message) == [note])
  }

  /// Sending a packet takes 5 ms here. A tick to 20 play-on-arrival receivers therefore takes 100 ms, five times the length of a tick.
  /// Up to eight deferrable packets are sent after each batch of due packets (``StreamSender/slice``).
  @Test func messagesMakeProgressInSlicesIfAllDeadlinesAreMissed() {
    let virtual = VirtualSender()
    for _ in 0..<20 { virtual.open() }
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.advance(to: .milliseconds(-1))
    virtual.removePackets()
    virtual.cost = .milliseconds(5)
    virtual.send(note, to: .standardDevices)
    // More than enough polls for all notes.
    for _ in 0..<2000 { virtual.poll() }
    // The lengths of the uninterrupted series of notes.
    var slices: [Int] = []
    var length = 0
    for message in virtual.packets.flatMap(\.messages) {
      if message == note {
        length += 1
      } else if length > 0 {
        slices.append(length)
        length = 0
      }
    }
    // The first note leaves before the first deadline, the other 19 in slices of eight.
    #expect(slices == [1, 8, 8, 3])
  }

  /// If no deadline is near, all guard packets that are due are sent at once. If a deadline is near, no guard packet is sent before
  /// this deadline.
  @Test func guardPacketsAreNotSentDirectlyBeforeADeadline() {
    for (isNear, expected) in [(false, [20, 20, 20]), (true, [0, 0, 0])] {
      let virtual = VirtualSender()
      for _ in 0..<20 { virtual.open(hasJournal: true) }
      virtual.sender.adopt(VirtualSender.schedule(end: 1), at: virtual.now)
      virtual.play(from: .milliseconds(-100), to: .milliseconds(40))
      // The first guard packets are due 25 ms after Stop, which is sent at 20 ms.
      #expect(virtual.sent == 60, "Start, a tick and Stop to 20 receivers")
      var guards: [Int64] = []
      for number in 0..<3 {
        let time = Nanoseconds.milliseconds(50 + 25 * Int64(number))
        if isNear {
          // The next deadline is 100 us after `time`: the first step of a new run, reported 50 ms before its origin.
          let origin = VirtualSender.origin + time + .microseconds(50_100)
          virtual.sender.adopt(
            VirtualSender.schedule(run: 2 + UInt32(number), sends: false, at: origin), at: virtual.now)
        }
        let before = virtual.sent
        virtual.advance(to: time)
        guards.append(virtual.sent - before)
      }
      #expect(guards == expected.map(Int64.init))
    }
  }

  /// If all deadlines are missed, up to eight guard packets are sent after each batch of due packets.
  @Test func guardPacketsMakeProgressInSlicesIfAllDeadlinesAreMissed() {
    let virtual = VirtualSender()
    // Twenty receivers with guard packets due, which take no clock, and one that keeps the sender busy.
    let quiet = (0..<20).map { _ in virtual.open(hasJournal: true, takesClock: false) }
    virtual.open()
    for receiver in quiet { virtual.send(note, to: receiver) }
    virtual.advance(to: .milliseconds(-100))
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.advance(to: .milliseconds(-99))
    virtual.removePackets()
    // Each packet takes 50 ms, longer than two ticks. At -8 ms, Start is already late, because it was due at -10 ms. So the sender
    // misses all deadlines.
    virtual.cost = .milliseconds(50)
    virtual.wait(until: .milliseconds(-8))
    for _ in 0..<400 { virtual.poll() }
    let guards = virtual.packets.filter { $0.messages.isEmpty }
    #expect(
      Set(guards.prefix(20).map(\.receiver)) == Set(quiet),
      "no receiver gets a second guard packet before all have the first")
    // The lengths of the uninterrupted series of guard packets.
    var (slices, length): ([Int], Int) = ([], 0)
    for packet in virtual.packets {
      if packet.messages.isEmpty {
        length += 1
      } else if length > 0 {
        slices.append(length)
        length = 0
      }
    }
    // The first guard packets to the 20 receivers need three slices.
    #expect(slices.prefix(3).allSatisfy { $0 <= 8 }, "\(slices)")
  }
}
