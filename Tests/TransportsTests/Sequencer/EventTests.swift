import CALSA
import MIDI
import Testing
import _TestSupport

@testable import Transports

/// The conversion between messages and ALSA sequencer events.
@Suite struct EventTests {
  /// The numbers are those of `snd_seq_event_type` in `alsa/seq_event.h`.
  @Test func eventsMatchTheALSAHeader() {
    let channel = Channel(10)!
    let note = snd_seq_event_t(.noteOn(channel, key: 36, velocity: 100))
    #expect(
      note.type == 6 && note.data.note.channel == 9 && note.data.note.note == 36 && note.data.note.velocity == 100)
    let control = snd_seq_event_t(.controlChange(channel, controller: 11, value: 127))
    #expect(control.type == 10 && control.data.control.channel == 9)
    #expect(control.data.control.param == 11 && control.data.control.value == 127)
    #expect(snd_seq_event_t(.pitchBend(channel, 0)).data.control.value == -8192)
    #expect(snd_seq_event_t(.pitchBend(channel, 16383)).data.control.value == 8191)
    #expect(snd_seq_event_t(.songPosition(16383)).data.control.value == 16383)
    let types: [(Message, UInt8)] = [
      (.noteOff(channel, key: 1, velocity: 2), 7), (.polyphonicPressure(channel, key: 1, pressure: 2), 8),
      (.programChange(channel, program: 5), 11), (.channelPressure(channel, pressure: 6), 12),
      (.pitchBend(channel, 8192), 13), (.songPosition(1), 20), (.songSelect(3), 21), (.quarterFrame(0x71), 22),
      (.start, 30), (.continue, 31), (.stop, 32), (.clock, 36), (.tuneRequest, 40), (.reset, 41), (.activeSensing, 42),
    ]
    for (message, type) in types { #expect(snd_seq_event_t(message).type == type, "\(message)") }
  }

  @Test(arguments: [UInt64(1), 2, 3]) func everyMessageConvertsToAnEventAndBack(seed: UInt64) {
    for message in everyMessage(seed: seed) { #expect(snd_seq_event_t(message).message == message) }
  }

  @Test func noteOnWithVelocityZeroRemainsANoteOn() {
    let message = Message.noteOn(Channel(1)!, key: 60, velocity: 0)
    #expect(snd_seq_event_t(message).type == 6 && snd_seq_event_t(message).message == message)
  }

  /// An event with arbitrary contents converts to a valid message or to nil.
  @Test(arguments: [UInt64(11), 12, 13]) func hostileEventsConvertToValidMessagesOrNil(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var converted = 0
    for _ in 0..<100_000 {
      var event = snd_seq_event_t()
      event.type = UInt8.random(in: 0...50, using: &random)
      // Half of the words are small numbers, so that many events have a valid channel and valid data bytes.
      for index in 0..<3 {
        let word =
          Bool.random(using: &random) ? UInt32.random(in: 0...200, using: &random) : UInt32(random.next() >> 32)
        withUnsafeMutableBytes(of: &event.data) { $0.storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self) }
      }
      guard let message = event.message else { continue }
      converted += 1
      #expect(snd_seq_event_t(message).type == event.type && snd_seq_event_t(message).message == message)
    }
    // Enough events had a valid type and valid values, so that the conversion was tested.
    #expect(converted > 1000)
  }

  @Test func eventWithoutAMessageConvertsToNil() {
    /// The message of an event with these contents; nil if the event has none.
    func control(_ type: snd_seq_event_type, _ channel: UInt8, _ param: UInt32, _ value: Int32) -> Message? {
      var event = snd_seq_event_t()
      event.type = UInt8(type.rawValue)
      event.data.control = snd_seq_ev_ctrl_t(channel: channel, unused: (0, 0, 0), param: param, value: value)
      return event.message
    }
    // The largest valid channel, controller and value. In the other events, one of the three numbers is out of range.
    #expect(control(SND_SEQ_EVENT_CONTROLLER, 15, 127, 127) != nil)
    #expect(control(SND_SEQ_EVENT_CONTROLLER, 16, 1, 1) == nil && control(SND_SEQ_EVENT_CONTROLLER, 0, 128, 1) == nil)
    #expect(control(SND_SEQ_EVENT_CONTROLLER, 0, 1, 128) == nil && control(SND_SEQ_EVENT_CONTROLLER, 0, 1, -1) == nil)
    #expect(control(SND_SEQ_EVENT_PITCHBEND, 0, 0, 8192) == nil && control(SND_SEQ_EVENT_PITCHBEND, 0, 0, -8193) == nil)
    #expect(control(SND_SEQ_EVENT_PITCHBEND, 16, 0, 0) == nil && control(SND_SEQ_EVENT_PGMCHANGE, 16, 0, 0) == nil)
    #expect(control(SND_SEQ_EVENT_SONGPOS, 0, 0, .max) == nil && control(SND_SEQ_EVENT_SONGPOS, 0, 0, -1) == nil)
    // Event types that correspond to no single MIDI message.
    for type in [SND_SEQ_EVENT_CONTROL14, SND_SEQ_EVENT_NONREGPARAM, SND_SEQ_EVENT_REGPARAM, SND_SEQ_EVENT_NOTE] {
      #expect(control(type, 0, 1, 1) == nil)
    }
  }
}

/// Messages of every status byte that ``Message`` can have, with data bytes at the ends and in the middle of their range, and with
/// random data bytes from `seed`.
func everyMessage(seed: UInt64) -> [Message] {
  var random = SplitMix(seed: seed)
  return (UInt8(0x80)...0xFF).flatMap { status -> [Message] in
    let values: [UInt7] =
      [0, 1, 63, 64, 127] + (0..<3).map { _ in UInt7(masking: UInt8.random(in: 0...127, using: &random)) }
    return switch Message.dataCount(status: status) {
    case 0: [Message(status: status)!]
    case 1: values.map { Message(status: status, $0)! }
    case 2: values.flatMap { first in values.map { Message(status: status, first, $0)! } }
    default: []
    }
  }
}
