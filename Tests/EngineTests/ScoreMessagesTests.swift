import Audio
import MIDI
import MusicalTime
import Testing
import Transports
import _TestSupport

@testable import Engine

/// Tests of the notes of the score that MIDI devices play. Times are in milliseconds.
@Suite struct ScoreMessagesTests {
  private static func route(_ part: UInt8, port: UInt8) -> ScoreRoutes.Route {
    ScoreRoutes.Route(
      part: part, target: .port(SequencerAddress(client: 20, port: port)), channel: Channel(wire: 2))
  }

  /// Parts 0 and 1 are at one device, part 2 is at another one.
  private static var messages: ScoreMessages {
    var messages = ScoreMessages()
    messages.adopt(ScoreRoutes([route(0, port: 0), route(1, port: 0), route(2, port: 1)]), at: Instant(nanoseconds: 0))
    return messages
  }

  private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func add(
    _ key: UInt8, _ start: Int64, _ end: Int64, part: UInt8 = 0, program: UInt8 = SoundEvent.drumKit,
    step: Int64? = nil,
    in messages: inout ScoreMessages
  ) {
    messages.add(
      ScoreNote(at: 0, part: part, key: key, program: program), from: instant(start), until: instant(end),
      step: instant(step ?? start))
  }

  /// Removes the messages up to `end`: `on key time`, `off key time`, `program number time`.
  private func take(_ messages: inout ScoreMessages, to end: Int64) -> [String] {
    var list: [String] = []
    while let (message, at, _) = messages.take(at: instant(end)) {
      let milliseconds = at.nanoseconds / 1_000_000
      if case .programChange(_, let program) = message { list.append("program \(program.value) \(milliseconds)") }
      guard let key = message.key?.value else { continue }
      list.append("\(message.startsNote ? "on" : "off") \(key) \(milliseconds)")
    }
    return list
  }

  @Test func messagesAreReturnedAtTheirInstants() {
    var messages = Self.messages
    add(64, 100, 300, in: &messages)
    add(60, 0, 100, in: &messages)
    #expect(messages.nextDue == instant(0))
    #expect(take(&messages, to: 99) == ["on 60 0"])
    #expect(messages.nextDue == instant(100))
    // Notes end before others begin.
    #expect(take(&messages, to: 250) == ["off 60 100", "on 64 100"])
    #expect(take(&messages, to: 400) == ["off 64 300"])
    #expect(messages.nextDue == .distantFuture)
  }

  /// Two notes of a key on one channel of a device: the first end has no message, because it would end both. On another device, it has one.
  @Test func unisonEndsWithItsLastNote() {
    for (part, isSame) in [(UInt8(1), true), (2, false)] {
      var messages = Self.messages
      add(60, 0, 100, in: &messages)
      add(60, 0, 200, part: part, in: &messages)
      #expect(take(&messages, to: 50) == ["on 60 0", "on 60 0"])
      #expect(take(&messages, to: 150) == (isSame ? [] : ["off 60 100"]))
      #expect(take(&messages, to: 250) == ["off 60 200"])
    }
  }

  /// A device gets the program of a part before its first note, and again after a change of the instrument or of the routes.
  @Test func programPrecedesItsFirstNote() {
    var messages = Self.messages
    add(60, 0, 50, program: 40, in: &messages)
    add(61, 100, 150, program: 40, in: &messages)
    add(62, 200, 400, program: 73, in: &messages)
    add(35, 300, 400, part: 3, in: &messages)
    #expect(take(&messages, to: 199) == ["program 40 0", "on 60 0", "off 60 50", "on 61 100", "off 61 150"])
    #expect(take(&messages, to: 310) == ["program 73 200", "on 62 200"])
    messages.adopt(ScoreRoutes([Self.route(0, port: 0)]), at: instant(320))
    add(63, 330, 340, program: 73, in: &messages)
    #expect(take(&messages, to: 400) == ["off 62 320", "program 73 330", "on 63 330", "off 63 340"])
  }

  @Test func recallsAndReleasesLeaveNoNote() {
    var messages = Self.messages
    add(60, 0, 900, in: &messages)
    add(61, 0, 900, part: 1, in: &messages)
    add(62, 200, 900, step: 180, in: &messages)
    add(63, 210, 900, step: 300, in: &messages)
    #expect(take(&messages, to: 0).sorted() == ["on 60 0", "on 61 0"])
    messages.recall(from: instant(190))
    #expect(take(&messages, to: 200) == ["on 62 200"])
    add(64, 500, 600, in: &messages)
    messages.release(at: instant(500))
    #expect(take(&messages, to: 499) == [])
    #expect(take(&messages, to: 550).sorted() == ["off 60 500", "off 61 500", "off 62 500", "on 64 500"])
    messages.silence(at: instant(560))
    #expect(take(&messages, to: 560) == ["off 64 560"])
  }

  /// Random notes, more than there is room for: each Note On of a device is followed by a Note Off, and the messages are in order.
  @Test(arguments: UInt64(1)...20) func everyNoteEnds(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var messages = Self.messages
    var (sounding, last, begun) = (Set<UInt8>(), Instant(nanoseconds: .min), 0)
    for n in 0..<700 {
      let start = random.integer(in: 0...5_000)
      add(UInt8(random.integer(in: 40...80)), start, start + random.integer(in: 0...3_000), in: &messages)
      #expect(messages.dropped == max(0, Int64(n) - 511))
    }
    while let (message, at, _) = messages.take(at: instant(10_000)) {
      #expect(at >= last)
      last = at
      guard let key = message.key?.value else { continue }
      if message.startsNote {
        sounding.insert(key)
        begun += 1
      } else {
        #expect(sounding.remove(key) != nil, "seed \(seed)")
      }
    }
    #expect(begun == 512 && sounding.isEmpty, "seed \(seed)")
  }
}
