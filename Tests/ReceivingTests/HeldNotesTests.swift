import MIDI
import Testing
import _TestSupport

@testable import Receiving

/// The notes and pedals that a peer holds, and the messages that release them.
@Suite struct HeldNotesTests {
  /// Random keys are pressed and released. At the end, `release()` returns exactly one Note Off for each note that
  /// still sounds.
  @Test(arguments: UInt64(1)...50) func releaseEndsEachHeldNoteOnce(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var held = HeldNotes()
    // Channel and key of each sounding note.
    var sounding: Set<[Int64]> = []
    for _ in 0..<400 {
      let channel = random.integer(in: 0...15)
      let key = random.integer(in: 0...127)
      let velocity = UInt7(clamping: Int(random.integer(in: 0...127)))
      let (midiChannel, midiKey) = (Channel(wire: UInt8(channel)), UInt7(clamping: Int(key)))
      let isOff = Bool.random(using: &random)
      let message: Message =
        isOff
        ? .noteOff(midiChannel, key: midiKey, velocity: velocity)
        : .noteOn(midiChannel, key: midiKey, velocity: velocity)
      #expect(held.ends(with: message) == (message.silencesNote && sounding.contains([channel, key])), "seed \(seed)")
      held.record(message)
      if message.silencesNote { sounding.remove([channel, key]) } else { sounding.insert([channel, key]) }
      // Another controller than the pedals changes nothing.
      held.record(.controlChange(midiChannel, controller: 1, value: velocity))
    }
    for message in held.release() {
      guard case .noteOff(let channel, let key, _) = message else {
        Issue.record("\(message) does not end a note")
        continue
      }
      #expect(sounding.remove([Int64(channel.wire), Int64(key.value)]) != nil, "seed \(seed)")
    }
    #expect(sounding.isEmpty && held.isEmpty && held.release().isEmpty, "seed \(seed)")
  }

  /// Controller 64 is the sustain pedal. It is down at values of 64 and above.
  @Test func releaseLiftsThePedalOnce() {
    let channel = Channel(3)!
    var held = HeldNotes()
    held.record(.controlChange(channel, controller: 64, value: 127))
    #expect(!held.isEmpty && !held.ends(with: .controlChange(channel, controller: 64, value: 100)))
    #expect(held.ends(with: .controlChange(channel, controller: 64, value: 63)))
    #expect(held.release() == [.controlChange(channel, controller: 64, value: 0)])
    #expect(held.isEmpty && held.release().isEmpty)
  }

  /// All Sound Off (120), All Notes Off (123) and the mode messages (124...127) end the notes of their channel only. The
  /// pedal stays down.
  @Test(arguments: [UInt7(120), 123, 124, 125, 126, 127]) func channelModeMessageEndsTheNotesOfItsChannel(number: UInt7)
  {
    let (channel, other) = (Channel(3)!, Channel(4)!)
    var held = HeldNotes()
    held.record(.controlChange(channel, controller: 64, value: 127))
    for key: UInt7 in [60, 67] { held.record(.noteOn(channel, key: key, velocity: 100)) }
    held.record(.noteOn(other, key: 50, velocity: 100))
    let message = Message.controlChange(channel, controller: number, value: 0)
    #expect(held.ends(with: message))
    held.record(message)
    // A message that ends a note passes a closed gate. A repetition ends no note, so a closed gate stops it. Otherwise, repetitions would
    // be a flood that no gate stops.
    #expect(!held.ends(with: message), "a repetition")
    #expect(
      held.release() == [
        .controlChange(channel, controller: 64, value: 0), .noteOff(other, key: 50, velocity: 64),
      ])
  }

  /// Local Control (122) ends no note. Reset All Controllers (121) lifts the pedal.
  @Test func otherChannelModeMessagesEndNoNote() {
    let channel = Channel(3)!
    var held = HeldNotes()
    held.record(.noteOn(channel, key: 60, velocity: 100))
    held.record(.controlChange(channel, controller: 64, value: 127))
    for number: UInt7 in [122, 121] { held.record(.controlChange(channel, controller: number, value: 0)) }
    #expect(held.release() == [.noteOff(channel, key: 60, velocity: 64)])
  }

  /// The release phase of a note sounds on after its Note Off. Only All Sound Off ends this sound.
  @Test func allSoundOffAlsoSilencesReleasedNotes() {
    let channel = Channel(3)!
    var held = HeldNotes()
    let (soundOff, notesOff) = (
      Message.controlChange(channel, controller: 120, value: 0),
      Message.controlChange(channel, controller: 123, value: 0)
    )
    #expect(!held.ends(with: soundOff))
    held.record(.noteOn(channel, key: 60, velocity: 100))
    held.record(.noteOff(channel, key: 60, velocity: 64))
    #expect(held.ends(with: soundOff) && !held.ends(with: notesOff) && held.isEmpty)
  }
}
