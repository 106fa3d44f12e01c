import MIDI
import Testing
import _TestSupport

/// A message or a System Exclusive in a parsed stream.
enum Event: Equatable {
  case message(Message)
  case systemExclusive([UInt8])
}

/// Tests of the parser of a MIDI byte stream.
@Suite struct StreamParserTests {
  private let channel = Channel(1)!

  /// Parses `bytes` with room for System Exclusives of `capacity` data bytes.
  private func parse(_ bytes: [UInt8], capacity: Int = 16) -> (events: [Event], counters: StreamParser.Counters) {
    var parser = StreamParser(systemExclusiveCapacity: capacity)
    var events: [Event] = []
    for byte in bytes {
      let output = parser.feed(byte)
      if output.finishedSystemExclusive {
        events.append(.systemExclusive((0..<parser.systemExclusive.count).map { parser.systemExclusive[$0] }))
      }
      if let message = output.message { events.append(.message(message)) }
    }
    return (events, parser.counters)
  }

  @Test func everyMessageIsParsedFromItsBytes() {
    let (events, counters) = parse(everyMessage.flatMap(encoded))
    #expect(events == everyMessage.map { .message($0) })
    #expect(counters == StreamParser.Counters())
  }

  /// Real-time bytes (F8 and FE) do not end running status, but a System Common byte (F6) does.
  @Test func runningStatusAppliesToFurtherDataBytes() {
    let (events, counters) = parse([0x90, 60, 1, 61, 2, 0xF8, 62, 0xFE, 3, 0xC0, 5, 6, 0xF6, 7])
    #expect(
      events == [
        .message(.noteOn(channel, key: 60, velocity: 1)), .message(.noteOn(channel, key: 61, velocity: 2)),
        .message(.clock), .message(.activeSensing), .message(.noteOn(channel, key: 62, velocity: 3)),
        .message(.programChange(channel, program: 5)), .message(.programChange(channel, program: 6)),
        .message(.tuneRequest),
      ])
    // The last byte, 7, is stray.
    #expect(counters.strayData == 1)
  }

  @Test func systemCommonHasNoRunningStatus() {
    let (events, counters) = parse([0xF2, 1, 2, 3, 4])
    #expect(events == [.message(.songPosition(257))] && counters.strayData == 2)
  }

  @Test func realTimeBytesAreAcceptedAnywhere() {
    let (events, counters) = parse([0xF0, 0xF8, 0x7D, 0xFA, 1, 0xF8, 0xF7, 0xF2, 0xF8, 0, 0xFB, 1])
    #expect(
      events == [
        .message(.clock), .message(.start), .message(.clock), .systemExclusive([0x7D, 1]), .message(.clock),
        .message(.continue), .message(.songPosition(128)),
      ])
    #expect(counters == StreamParser.Counters())
  }

  @Test func systemExclusiveIsAcceptedUpToTheCapacity() {
    // 16 data bytes are the capacity.
    let fits: [UInt8] = [0xF0] + Array(repeating: 5, count: 16) + [0xF7]
    let long: [UInt8] = [0xF0] + Array(repeating: 6, count: 17) + [0xF7]
    let (events, counters) = parse(fits + long + [0xF0, 0xF7] + fits)
    let data = [UInt8](repeating: 5, count: 16)
    #expect(events == [.systemExclusive(data), .systemExclusive([]), .systemExclusive(data)])
    #expect(counters.overlong == 1 && counters.strayData == 0 && counters.strayEnd == 0)
  }

  /// "Any status byte except real-time will terminate" a System Exclusive (MIDI 1.0, page 34). RFC 6295, section 3.2, calls such an end a
  /// dropped F7.
  @Test func systemExclusiveEndsAtAnyStatusByte() {
    let (events, _) = parse([0xF0, 1, 0x90, 60, 2, 0xF0, 3, 0xF6, 0xF0, 4, 0xF0, 5, 0xF7])
    #expect(
      events == [
        .systemExclusive([1]), .message(.noteOn(channel, key: 60, velocity: 2)), .systemExclusive([3]),
        .message(.tuneRequest), .systemExclusive([4]), .systemExclusive([5]),
      ])
  }

  /// Stray data bytes: 1, 2, 3 and 8. Stray F7: one. Undefined status bytes: F4, F5, F9 and FD. Incomplete messages: a Note On with
  /// one data byte and a Control Change without data bytes. The byte 7 is not stray: it belongs to the Song Select (F3).
  @Test func invalidBytesAreCounted() {
    let (events, counters) = parse([1, 2, 0xF7, 0xF4, 3, 0xF5, 0xF9, 0xFD, 0x90, 60, 0xB0, 0xF3, 0xF8, 7, 8, 0x90])
    #expect(events == [.message(.clock), .message(.songSelect(7))])
    #expect(counters.strayData == 4 && counters.strayEnd == 1 && counters.undefinedStatus == 4)
    #expect(counters.incomplete == 2)
  }

  @Test func undefinedRealTimeBytesLeaveOtherMessagesIntact() {
    let (events, counters) = parse([0x90, 60, 0xF9, 1, 0xF0, 0xFD, 2, 0xF7])
    #expect(events == [.message(.noteOn(channel, key: 60, velocity: 1)), .systemExclusive([2])])
    #expect(counters.undefinedStatus == 2)
  }

  /// The stream consists of random messages and System Exclusives. After one byte in three, also inside a message, a real-time byte is
  /// inserted.
  @Test(arguments: UInt64(1)...50) func realTimeBytesLeaveOtherMessagesIntact(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let messages = everyMessage.filter { !$0.isRealTime }
    let realTime: [UInt8] = [0xF8, 0xFA, 0xFB, 0xFC, 0xFE, 0xFF]
    var stream: [UInt8] = []
    var sent: [Event] = []
    var inserted = 0
    for _ in 0..<200 {
      var bytes: [UInt8]
      if random.integer(in: 0...9) == 0 {
        let data = (0..<random.integer(in: 0...16)).map { _ in UInt8(random.integer(in: 0...127)) }
        sent.append(.systemExclusive(data))
        bytes = [0xF0] + data + [0xF7]
      } else {
        let message = messages.randomElement(using: &random)!
        sent.append(.message(message))
        bytes = encoded(message)
      }
      for byte in bytes {
        stream.append(byte)
        if random.integer(in: 0...2) == 0 {
          stream.append(realTime.randomElement(using: &random)!)
          inserted += 1
        }
      }
    }
    let (events, counters) = parse(stream)
    let others = events.filter { if case .message(let message) = $0 { !message.isRealTime } else { true } }
    #expect(others == sent, "seed \(seed)")
    #expect(events.count - others.count == inserted && counters == StreamParser.Counters(), "seed \(seed)")
  }

  @Test(arguments: UInt64(1)...10) func randomBytesYieldValidMessagesAndBoundedSystemExclusive(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var parser = StreamParser(systemExclusiveCapacity: 8)
    // The numbers of defined real-time bytes in the input and of real-time messages in the output.
    var realTime = 0
    var seen = 0
    var messages: [Message] = []
    for _ in 0..<20_000 {
      // One byte in four is a status byte, so that all states are visited.
      let byte = UInt8(random.integer(in: random.integer(in: 0...3) == 0 ? 128...255 : 0...127))
      let output = parser.feed(byte)
      if byte >= 0xF8 && byte != 0xF9 && byte != 0xFD { realTime += 1 }
      if let message = output.message {
        messages.append(message)
        if message.isRealTime { seen += 1 }
      }
      if parser.systemExclusive.count > 8 { Issue.record("seed \(seed): more System Exclusive data than the capacity") }
      for index in 0..<parser.systemExclusive.count where parser.systemExclusive[index] > 127 {
        Issue.record("seed \(seed): a status byte in System Exclusive data")
      }
    }
    #expect(seen == realTime && messages.count > 1000, "seed \(seed)")
    // The parsed messages encode to a stream that parses to the same messages.
    let (events, counters) = parse(messages.flatMap(encoded))
    #expect(events == messages.map { .message($0) } && counters == StreamParser.Counters(), "seed \(seed)")
  }
}
