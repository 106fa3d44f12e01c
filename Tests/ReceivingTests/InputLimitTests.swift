import MIDI
import MusicalTime
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// The classes of messages have budgets of 512 messages and 2000 messages per second each. Values beyond their budget wait.
@Suite struct InputLimitTests {
  private let start = Instant(nanoseconds: 7_000_000_000)
  private let channel = Channel(3)!

  private func control(_ controller: UInt8, _ value: UInt8, on number: Int = 3) -> Message {
    .controlChange(Channel(number)!, controller: UInt7(masking: controller), value: UInt7(masking: value))
  }

  /// Whether the verdict is `admitted`.
  private func admits(_ message: Message, _ limit: inout InputLimit, at instant: Instant) -> Bool {
    if case .admitted = limit.admit(message, at: instant) { true } else { false }
  }

  /// Returns the values that are due until `end`, and the numbers of dropped messages in the reports.
  private func take(_ limit: inout InputLimit, until end: Instant) -> (values: [Message], reports: [Int64]) {
    var (values, reports): ([Message], [Int64]) = ([], [])
    while limit.nextDeadline <= end {
      let now = limit.nextDeadline
      switch limit.due(at: now) {
      case .value(let message): values.append(message)
      case .report(let count): reports.append(count)
      case nil:
        Issue.record("nothing is due at the deadline")
        return (values, reports)
      }
    }
    return (values, reports)
  }

  /// A song begins: on each channel 38 controllers, a program and a bend, and then a note. Everything arrives within a tenth of a second, and
  /// nothing is reported.
  @Test func beginningOfASongArrives() {
    var limit = InputLimit()
    var wanted: Set<Message> = []
    var arrived: [Message] = []
    for number in 1...16 {
      var messages = (UInt8(0)..<38).map { control($0, 64, on: number) }
      messages.append(.programChange(Channel(number)!, program: 5))
      messages.append(.pitchBend(Channel(number)!, 8192))
      for message in messages {
        wanted.insert(message)
        if admits(message, &limit, at: start) { arrived.append(message) }
      }
    }
    #expect(admits(.noteOn(channel, key: 60, velocity: 64), &limit, at: start))
    let rest = take(&limit, until: start + .milliseconds(100))
    #expect(Set(arrived + rest.values) == wanted && arrived.count + rest.values.count == wanted.count)
    #expect(rest.reports.isEmpty && limit.refused == 0 && !limit.hasWork)
  }

  /// In a flood of values of two controllers, the last value of each arrives, and the replaced values are reported once.
  @Test func lastValueOfEachControllerArrives() {
    var limit = InputLimit()
    var admitted = 0
    for value in 0..<1000 {
      for message in [control(7, UInt8(value % 128)), control(10, UInt8(value % 128))]
      where admits(message, &limit, at: start) {
        admitted += 1
      }
    }
    let rest = take(&limit, until: start + .seconds(2))
    #expect(admitted == 512 && rest.values == [control(7, 103), control(10, 103)])
    #expect(rest.reports == [2000 - 512 - 2] && limit.refused == 2000 - 512 - 2)
  }

  /// While values wait, newer ones of the same controller do not overtake them, and no controller waits for ever.
  @Test func everyControllerArrivesDuringAFlood() {
    var limit = InputLimit()
    for _ in 0..<600 { _ = limit.admit(control(1, 1), at: start) }
    _ = limit.admit(control(74, 5), at: start)
    var arrived: [Message] = []
    for step in 1...200 {
      let now = start + .microseconds(100 * Int64(step))
      if admits(control(1, UInt8(step % 128)), &limit, at: now) { Issue.record("a value has overtaken an older one") }
      while case .value(let message)? = limit.due(at: now) { arrived.append(message) }
    }
    #expect(arrived.contains(control(74, 5)) && arrived.count == 40)
  }

  /// Notes and settings beyond their budgets are refused and counted. Key pressure has no last value.
  @Test func otherMessagesAreRefused() {
    let messages: [Message] = [
      .noteOn(channel, key: 60, velocity: 64), .programChange(channel, program: 1), control(98, 1),
      .polyphonicPressure(channel, key: 60, pressure: 5),
    ]
    for message in messages {
      var limit = InputLimit()
      let admitted = (0..<1000).count { _ in admits(message, &limit, at: start) }
      #expect(admitted == 512 && limit.refused == 488, "\(message)")
      let rest = take(&limit, until: start + .seconds(2))
      #expect(rest.values.isEmpty && rest.reports == [488], "\(message)")
    }
  }

  /// Reset All Controllers supersedes the values that it resets (RP-015), and no others.
  @Test func resetSupersedesWaitingValues() {
    var limit = InputLimit()
    for _ in 0..<512 { _ = limit.admit(control(2, 1), at: start) }
    for message in [control(1, 9), control(11, 9), control(7, 9), .pitchBend(channel, 0), control(1, 9, on: 4)] {
      guard case .waiting = limit.admit(message, at: start) else {
        Issue.record("\(message) does not wait")
        continue
      }
    }
    #expect(admits(control(121, 0), &limit, at: start))
    #expect(Set(take(&limit, until: start + .seconds(1)).values) == [control(7, 9), control(1, 9, on: 4)])
  }

  /// The receiver passes the waiting values of a session to the sound, and reports the dropped messages, unless the session ends.
  @Test(arguments: [false, true]) func receiverReleasesWaitingValues(ends: Bool) {
    var receiver = Receiver(identity: 1)
    receiver.add(SessionBlock())
    let address = SocketAddress(host: 1, port: 5005)
    let session = SessionID(number: 1)
    var admission = Admission()
    (admission.notes, admission.modification) = (true, true)
    receiver.execute(
      .open(slot: 0, session, StreamSource(ssrc: 7, address: address, localSSRC: 1), admission))
    var sender = PacketSender(ssrc: 7, sequence: 0)
    var sounds: [Message] = []
    for value in 0..<600 {
      let packet = octets { _ = sender.encode(control(7, UInt8(value % 128)), at: start, into: &$0) }
      _ = receiver.receive(packet.span, from: address, at: start)
      while let output = receiver.next(in: packet.span) {
        if case .sound(let message, _) = output { sounds.append(message) }
      }
    }
    #expect(sounds.count == 512)
    if ends { receiver.execute(.close(slot: 0, session)) }
    sounds = []
    var refused: [Int64] = []
    while receiver.nextTimedDeadline < start + .seconds(2) {
      let now = receiver.nextTimedDeadline
      while let output = receiver.nextTimed(at: now) {
        if case .sound(let message, _) = output { sounds.append(message) }
        if case .reception(.refused(let session?, let count)) = output, session.number == 1 { refused.append(count) }
      }
    }
    #expect(sounds == (ends ? [] : [control(7, 87)]) && refused == (ends ? [] : [87]))
  }
}
