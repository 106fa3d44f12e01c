import MIDI
import MusicalTime
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// Notes that a device holds when it falls silent.
@Suite struct SilentDeviceTests {
  private let start = Instant(nanoseconds: 7_000_000_000)
  private let session = SessionID(number: 1)
  private let address = SocketAddress(host: 1, port: 5005)
  private let note = Message.noteOn(Channel(3)!, key: 60, velocity: 100)
  private let pedal = Message.controlChange(Channel(3)!, controller: 64, value: 127)
  private let ends = [
    Message.noteOff(Channel(3)!, key: 60, velocity: 64), .controlChange(Channel(3)!, controller: 64, value: 0),
  ]

  private func makeReceiver() -> Receiver {
    var receiver = Receiver(identity: 1)
    receiver.add(SessionBlock())
    var admission = Admission()
    (admission.notes, admission.modification) = (true, true)
    receiver.execute(.open(slot: 0, session, StreamSource(ssrc: 7, address: address, localSSRC: 1), admission))
    return receiver
  }

  private func receive(
    _ messages: [Message], from sender: inout PacketSender, by receiver: inout Receiver, at now: Instant
  ) {
    for message in messages {
      let packet = octets { _ = sender.encode(message, at: now, into: &$0) }
      _ = receiver.receive(packet.span, from: address, at: now)
      while receiver.next(in: packet.span) != nil {}
    }
  }

  /// The messages that sound without a message of the device until `end`, and when.
  private func sounds(_ receiver: inout Receiver, until end: Instant) -> [(message: Message, at: Instant)] {
    var sounds: [(Message, Instant)] = []
    while receiver.nextTimedDeadline <= end {
      let now = max(receiver.nextTimedDeadline, start)
      while let output = receiver.nextTimed(at: now) {
        if case .sound(let message, _) = output { sounds.append((message, now)) }
      }
    }
    return sounds
  }

  /// A device sends Active Sensing every 300 ms. When it stops, its notes end and its pedals rise. Any message counts as a sign of life.
  @Test(arguments: [1, 3]) func notesEndWhenActiveSensingStops(sensings: Int) {
    var receiver = makeReceiver()
    var sender = PacketSender(ssrc: 7, sequence: 0)
    receive([note, pedal, .activeSensing], from: &sender, by: &receiver, at: start)
    for n in 1..<10 {
      let now = start + .milliseconds(300 * Int64(n))
      #expect(sounds(&receiver, until: now).isEmpty)
      let isSensing = n < sensings
      receive(
        [isSensing ? .activeSensing : .controlChange(Channel(3)!, controller: 7, value: 9)], from: &sender,
        by: &receiver, at: now)
    }
    let late = sounds(&receiver, until: start + .seconds(10))
    #expect(late.map(\.message) == ends)
    #expect(late.allSatisfy { $0.at == start + .milliseconds(300 * 9 + 1200) })
    #expect(receiver.nextTimedDeadline == .distantFuture)
  }

  /// Without Active Sensing, silence says nothing.
  @Test func silenceAloneEndsNoNote() {
    var receiver = makeReceiver()
    var sender = PacketSender(ssrc: 7, sequence: 0)
    receive([note, pedal], from: &sender, by: &receiver, at: start)
    #expect(receiver.nextTimedDeadline == .distantFuture)
  }

  /// The command of the control thread ends the notes, and the session continues.
  @Test func commandEndsTheNotesOfASession() {
    var receiver = makeReceiver()
    var sender = PacketSender(ssrc: 7, sequence: 0)
    receive([note, pedal], from: &sender, by: &receiver, at: start)
    receiver.execute(.endNotes(slot: 0, session))
    var sounds: [Message] = []
    while let output = receiver.next() { if case .sound(let message, _) = output { sounds.append(message) } }
    #expect(sounds == ends)
    let packet = octets { _ = sender.encode(note, at: start, into: &$0) }
    _ = receiver.receive(packet.span, from: address, at: start)
    guard case .sound(note, _)? = receiver.next(in: packet.span) else {
      Issue.record("the session has ended")
      return
    }
  }
}
