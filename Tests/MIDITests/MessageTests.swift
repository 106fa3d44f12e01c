import BasicContainers
import MIDI
import Testing

/// Sample messages: every status byte that begins a message, with data bytes at both ends and in the middle of their
/// range.
let everyMessage: [Message] = (UInt8(0x80)...0xFF).flatMap { status -> [Message] in
  let values: [UInt7] = [0, 1, 63, 64, 126, 127]
  switch Message.dataCount(status: status) {
  case 0: return [Message(status: status)!]
  case 1: return values.map { Message(status: status, $0)! }
  case 2: return values.flatMap { first in values.map { Message(status: status, first, $0)! } }
  default: return []
  }
}

/// The bytes of `message`.
func encoded(_ message: Message) -> [UInt8] {
  let bytes = message.bytes
  return (0..<bytes.count).map { bytes.octets[$0] }
}

/// Tests of the encoding of single messages.
@Suite struct MessageTests {
  @Test func encodingsMatchTheSpecification() {
    let channel = Channel(10)!
    let table: [(Message, [UInt8])] = [
      (.noteOff(channel, key: 60, velocity: 64), [0x89, 60, 64]),
      (.noteOn(channel, key: 36, velocity: 100), [0x99, 36, 100]),
      (.polyphonicPressure(channel, key: 1, pressure: 2), [0xA9, 1, 2]),
      (.controlChange(channel, controller: 11, value: 127), [0xB9, 11, 127]),
      (.programChange(channel, program: 5), [0xC9, 5]),
      (.channelPressure(channel, pressure: 6), [0xD9, 6]),
      (.pitchBend(channel, 8192), [0xE9, 0x00, 0x40]),
      (.quarterFrame(0x71), [0xF1, 0x71]),
      (.songPosition(129), [0xF2, 0x01, 0x01]),
      (.songSelect(3), [0xF3, 3]),
      (.tuneRequest, [0xF6]), (.clock, [0xF8]), (.start, [0xFA]), (.continue, [0xFB]), (.stop, [0xFC]),
      (.activeSensing, [0xFE]), (.reset, [0xFF]),
    ]
    for (message, bytes) in table {
      #expect(encoded(message) == bytes)
      #expect(message.status == bytes[0])
      #expect(message.isRealTime == (bytes[0] >= 0xF8))
      #expect(Message.dataCount(status: bytes[0]) == bytes.count - 1)
    }
  }

  @Test func everyMessageDecodesFromItsBytes() {
    // A message with one data byte has 6 samples, and a message with two has 36. Of the channel messages, five kinds have two data
    // bytes and two kinds have one, each on 16 channels. Of the system messages, Song Position has two data bytes, Quarter Frame and
    // Song Select have one, and seven kinds have none.
    #expect(everyMessage.count == 5 * 16 * 36 + 2 * 16 * 6 + 36 + 2 * 6 + 7)
    #expect(Set(everyMessage).count == everyMessage.count)
    for message in everyMessage {
      let octets = message.bytes.octets
      #expect(Message(status: octets[0], UInt7(masking: octets[1]), UInt7(masking: octets[2])) == message)
    }
  }

  @Test func otherStatusBytesDecodeToNoMessage() {
    for status in Array(UInt8(0)...0x7F) + [0xF0, 0xF4, 0xF5, 0xF7, 0xF9, 0xFD] {
      #expect(Message.dataCount(status: status) == nil)
      #expect(Message(status: status) == nil)
    }
  }

  @Test func messageIsAppendedCompletelyOrNotAtAll() {
    var stream = RigidArray<UInt8>(capacity: 5)
    let note = Message.noteOn(Channel(1)!, key: 60, velocity: 1)
    // The second note does not fit: three of the five octets are used.
    #expect(note.append(to: &stream) && !note.append(to: &stream))
    #expect(stream.count == 3)
    #expect(Message.songSelect(9).append(to: &stream) && !Message.clock.append(to: &stream))
    #expect((0..<5).map { stream[$0] } == [0x90, 60, 1, 0xF3, 9])
  }

  @Test func noteOnWithVelocityZeroSilencesTheNote() {
    let channel = Channel(1)!
    #expect(Message.noteOn(channel, key: 60, velocity: 0).silencesNote)
    #expect(Message.noteOff(channel, key: 60, velocity: 64).silencesNote)
    #expect(!Message.noteOn(channel, key: 60, velocity: 1).silencesNote && !Message.stop.silencesNote)
  }
}

/// Tests of the ranges of channels and data bytes.
@Suite struct ValueTests {
  @Test func channelNumbersStartAtOne() {
    #expect(Channel(1)!.wire == 0 && Channel(16)!.wire == 15 && Channel(wire: 0x99).number == 10)
    for number in [Int.min, -1, 0, 17, .max] { #expect(Channel(number) == nil) }
  }

  @Test func uInt7HoldsZeroTo127() {
    for value in [Int.min, -1, 128, 255, 256, .max] { #expect(UInt7(exactly: value) == nil) }
    #expect(UInt7(exactly: 0) == 0 && UInt7(exactly: 127) == 127)
    #expect(UInt7(clamping: -5) == 0 && UInt7(clamping: 300) == 127 && UInt7(clamping: 64) == 64)
    for byte in UInt8.min...UInt8.max { #expect(UInt7(masking: byte).value == byte % 128) }
  }

  @Test func uInt14HoldsZeroTo16383() {
    for value in [Int.min, -1, 16384, .max] { #expect(UInt14(exactly: value) == nil) }
    #expect(UInt14(clamping: -5) == 0 && UInt14(clamping: 20000) == 16383)
    for value in 0...16383 {
      let word = UInt14(exactly: value)!
      #expect(Int(word.high.value) * 128 + Int(word.low.value) == value)
      #expect(UInt14(low: word.low, high: word.high) == word)
    }
  }
}
