import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Sending
import Testing

/// The limit of what receivers get that acknowledge nothing.
@Suite struct UnacknowledgedTests {
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)

  /// A sender with open streams to standard devices that get journals, and a rhythm that begins at the origin.
  private func sender(_ count: Int, bpm: Double = 125) throws -> VirtualSender {
    let virtual = VirtualSender(capacity: 1000, quietTime: .zero)
    for _ in 0..<count { virtual.open(hasJournal: true) }
    let timeline = Timeline(tempo: try Tempo(bpm: bpm), tick: Tick(0), at: VirtualSender.origin)
    virtual.sender.adopt(
      PlaybackSchedule(run: 1, sends: true, start: Tick(0), end: Tick(.max), tempo: TempoMap(timeline)), at: virtual.now
    )
    return virtual
  }

  /// Plays for `seconds`, in steps of two milliseconds. Every 50 ms a note of another key begins, and the previous note ends, at all
  /// receivers. Calls `action` once per second. Returns the number of octets in each second.
  private func play(
    _ virtual: VirtualSender, seconds: Range<Int>, everySecond action: (Int) -> Void = { _ in }
  ) -> [Int] {
    for second in seconds {
      for step in 0..<500 {
        virtual.advance(to: .milliseconds(Int64(1000 * second + 2 * step)))
        guard step % 25 == 0 else { continue }
        let number = second * 20 + step / 25
        for (key, isOn) in [(number % 64, true), ((number + 63) % 64, false)] {
          let key = UInt7(masking: UInt8(key + 32))
          let message =
            isOn
            ? Message.noteOn(Channel(2)!, key: key, velocity: 100) : .noteOff(Channel(2)!, key: key, velocity: 0)
          virtual.send(message, to: .standardDevices)
        }
      }
      action(second)
    }
    return seconds.map { second in
      virtual.packets.filter { $0.sent.count / 1_000_000_000 == Int64(second) }.reduce(0) { $0 + $1.length }
    }
  }

  /// The time stamps of the ticks to a receiver, as numbers of ticks. The second argument is the tempo.
  private func ticks(_ virtual: VirtualSender, to receiver: Int, bpm: Double = 125) throws -> [Int64] {
    let timeline = Timeline(tempo: try Tempo(bpm: bpm), tick: Tick(0), at: VirtualSender.origin)
    let numbers = Dictionary(
      uniqueKeysWithValues: (0..<10_000).map { (RTPHeader.timestamp(of: timeline.deadline(Tick($0))), $0) })
    return virtual.packets.filter { $0.receiver == receiver && $0.messages == [.clock] }.map { numbers[$0.timestamp]! }
  }

  /// 300 receivers would get 200 kB/s of clock alone, and a hundred times as much with journals. The streams that were opened first keep
  /// their ticks.
  @Test func receiversThatNeverAcknowledgeGetAtMost200KilobytesPerSecond() throws {
    let virtual = try sender(300)
    let octets = play(virtual, seconds: 0..<8)
    #expect(octets.allSatisfy { $0 <= 200_000 && $0 > 140_000 }, "\(octets)")
    #expect(try ticks(virtual, to: 0) == Array(0..<400))
    #expect(virtual.withheld > 0 && virtual.withheldJournals > 0)
  }

  /// 400 ticks per second to each of sixteen devices, and notes. All ticks and notes arrive. Journals are sent as far as there is room.
  @Test func sixteenDevicesWithAFastClockLoseNothing() throws {
    let virtual = try sender(16, bpm: 999)
    let octets = play(virtual, seconds: 0..<8)
    #expect(octets.allSatisfy { $0 <= 200_000 }, "\(octets)")
    for receiver in 0..<16 {
      let numbers = try ticks(virtual, to: receiver, bpm: 999)
      #expect(numbers == Array(0..<Int64(numbers.count)) && numbers.count > 3190)
      #expect(
        virtual.packets.count { $0.receiver == receiver && $0.messages.first?.silencesNote == false } > 3190 + 150)
    }
    #expect(virtual.withheld == 0 && virtual.packets.contains { $0.hasJournal && $0.sent > .seconds(7) })
  }

  /// A receiver that acknowledges once a second gets every tick and every journal, even if its stream is the last one. It begins at the
  /// second bar at the latest: at the first one, 300 other streams are new too.
  @Test func receiverThatAcknowledgesIsNotLimited() throws {
    let virtual = try sender(300)
    let last = virtual.open(hasJournal: true)
    _ = play(virtual, seconds: 0..<12) { _ in
      let newest = virtual.packets.last { $0.receiver == last }
      if let newest { virtual.execute(.acknowledge(virtual.streams[last], sequence: newest.sequence)) }
    }
    let numbers = try ticks(virtual, to: last)
    #expect(numbers == Array(numbers[0]..<600) && numbers[0] <= 96, "\(numbers.prefix(3))")
    let packets = virtual.packets.filter { $0.receiver == last && $0.sent > .seconds(3) }
    #expect(!packets.contains { !$0.hasJournal })
  }

  /// A number that does not increase, and a number that was not sent yet, are no acknowledgements.
  @Test(arguments: [0, 30_000] as [UInt16]) func forgedAcknowledgementDoesNotCount(sequence: UInt16) throws {
    let virtual = try sender(300)
    let octets = play(virtual, seconds: 0..<13) { _ in
      for stream in virtual.streams { virtual.execute(.acknowledge(stream, sequence: sequence)) }
    }
    // The first acknowledgement of packet 0 counts for ten seconds.
    #expect(octets[12] <= 200_000, "\(octets)")
  }

  /// While other receivers use up the limit, a new one gets its ticks for five seconds.
  @Test func newReceiverGetsTheClockInItsFirstSeconds() throws {
    let virtual = try sender(300)
    _ = play(virtual, seconds: 0..<8)
    let last = virtual.open(hasJournal: true)
    _ = play(virtual, seconds: 8..<12)
    let numbers = try ticks(virtual, to: last)
    // The receiver begins at the next bar, within 1.92 s.
    #expect(numbers.count >= 100 && numbers == Array(numbers[0]..<numbers[0] + Int64(numbers.count)), "\(numbers)")
  }

  /// A receiver without ticks begins again at a bar when there is room, with its position.
  @Test func receiverBeginsAgainWithItsPosition() throws {
    let virtual = try sender(400)
    _ = play(virtual, seconds: 0..<8)
    #expect(try ticks(virtual, to: 399).last ?? 0 < 300)
    for receiver in 0..<399 { virtual.close(receiver) }
    virtual.removePackets()
    _ = play(virtual, seconds: 8..<12)
    let messages = virtual.packets.filter { $0.receiver == 399 }.flatMap(\.messages).filter {
      $0.channel == nil
    }
    guard case .songPosition(let position) = messages.first else {
      return #expect(Bool(false), "\(messages.prefix(3))")
    }
    #expect(messages.count > 3 && messages[1] == .continue && messages[2...].allSatisfy { $0 == .clock })
    #expect(try ticks(virtual, to: 399).first == Int64(position.value) * 6)
  }
}
