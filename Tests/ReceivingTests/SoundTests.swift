import MIDI
import MusicalTime
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// Which messages sound. Gates admit notes and other messages (modification), budgets limit the number of messages, and the ends
/// of notes always pass.
@Suite struct SoundTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let channel = Channel(3)!

  /// A receiver with one remote peer. The session has the number 1 and the slot 0. The remote peer has the SSRC 7 and
  /// sends from port 5005 of host 1.
  private struct Peer: ~Copyable {
    var receiver = Receiver(identity: 1)
    private var sender = PacketSender(ssrc: 7, sequence: 0)
    private let address = SocketAddress(host: 1, port: 5005)

    init(_ admission: Admission) {
      receiver.add(SessionBlock())
      let source = StreamSource(ssrc: 7, address: address, localSSRC: 1)
      receiver.execute(.open(slot: 0, SessionID(number: 1), source, admission))
    }

    /// Receives a message and returns the outputs.
    mutating func receive(_ message: Message, at now: Instant) -> [Receiver.Output] {
      let packet = octets { _ = sender.encode(message, at: now, into: &$0) }
      _ = receiver.receive(packet.span, from: address, at: now)
      var outputs: [Receiver.Output] = []
      while let output = receiver.next(in: packet.span) { outputs.append(output) }
      return outputs
    }

    /// Executes a command and returns the messages that sound.
    mutating func execute(_ command: ReceivingCommand) -> [Message] {
      receiver.execute(command)
      var sounds: [Message] = []
      while let output = receiver.next() { if case .sound(let message, _) = output { sounds.append(message) } }
      return sounds
    }
  }

  private func admission(notes: Bool = true, modification: Bool = true, isTuttiPeer: Bool = false) -> Admission {
    var admission = Admission()
    (admission.notes, admission.modification, admission.isTuttiPeer) = (notes, modification, isTuttiPeer)
    return admission
  }

  private func sounds(_ outputs: [Receiver.Output]) -> [Message] {
    outputs.compactMap { if case .sound(let message, _) = $0 { message } else { nil } }
  }

  /// The sound precedes the copy for the control thread, which is marked as admitted.
  @Test func messageSoundsBeforeTheControlThreadGetsIt() {
    var peer = Peer(admission())
    let note = Message.noteOn(channel, key: 60, velocity: 100)
    let outputs = peer.receive(note, at: now)
    guard outputs.count == 2, case .sound(note, let session?) = outputs[0],
      case .reception(.message(_, note, _, _, isRecovered: false, isAdmitted: true)) = outputs[1]
    else {
      Issue.record("\(outputs)")
      return
    }
    #expect(session.number == 1)
    // A tick does not sound.
    guard case .reception(.message(_, .clock, _, _, _, isAdmitted: false))? = peer.receive(.clock, at: now).first else {
      Issue.record("the tick does not reach the control thread, or is marked as admitted")
      return
    }
  }

  @Test func gatesAreForNotesAndForModification() {
    let (note, control) = (
      Message.noteOn(channel, key: 60, velocity: 100), Message.controlChange(channel, controller: 1, value: 5)
    )
    for (notes, modification) in [(true, false), (false, true), (false, false)] {
      var peer = Peer(admission(notes: notes, modification: modification))
      #expect(sounds(peer.receive(note, at: now)) == (notes ? [note] : []))
      #expect(sounds(peer.receive(control, at: now)) == (modification ? [control] : []))
    }
  }

  /// Volume (controller 7) on channel 1 of a Tutti peer reports the total activity and does not sound. From all other peers, it is the
  /// volume of the channel.
  @Test func activityDoesNotSound() {
    let volume = Message.controlChange(Channel(wire: 0), controller: 7, value: 90)
    var peer = Peer(admission())
    #expect(sounds(peer.receive(volume, at: now)) == [volume])
    _ = peer.execute(.admit(slot: 0, SessionID(number: 1), admission(isTuttiPeer: true)))
    #expect(sounds(peer.receive(volume, at: now)).isEmpty)
  }

  /// The gate closes while a note and a pedal are held. Their ends still sound, once.
  @Test func endsOfNotesPassAClosedGate() {
    var peer = Peer(admission())
    func pedal(_ value: UInt7) -> Message { .controlChange(channel, controller: 64, value: value) }
    for message in [Message.noteOn(channel, key: 60, velocity: 100), pedal(127)] { _ = peer.receive(message, at: now) }
    _ = peer.execute(.admit(slot: 0, SessionID(number: 1), admission(notes: false, modification: false)))
    for message in [Message.noteOff(channel, key: 60, velocity: 64), pedal(0)] {
      #expect(sounds(peer.receive(message, at: now)) == [message])
      #expect(sounds(peer.receive(message, at: now)) == [])
    }
  }

  /// Each session has its own limit, which admits a burst of 512 controllers. Of the others, the last value waits. A new session in the same
  /// slot has a new limit.
  @Test func budgetBelongsToTheSession() {
    var peer = Peer(admission())
    let control = Message.controlChange(channel, controller: 1, value: 5)
    var count = 0
    for _ in 0..<600 { count += sounds(peer.receive(control, at: now)).count }
    #expect(count == 512 && peer.receiver.refused == 87)
    _ = peer.execute(.close(slot: 0, SessionID(number: 1)))
    let source = StreamSource(ssrc: 7, address: SocketAddress(host: 1, port: 5005), localSSRC: 1)
    _ = peer.execute(.open(slot: 0, SessionID(number: 2), source, admission()))
    #expect(sounds(peer.receive(control, at: now)) == [control])
  }

  /// The end of the session ends its notes, and so does the command to release all notes. The control thread gets each end.
  @Test(arguments: [false, true]) func heldNotesEnd(isSessionEnded: Bool) {
    var peer = Peer(admission())
    for key: UInt7 in [60, 64, 67] { _ = peer.receive(.noteOn(channel, key: key, velocity: 100), at: now) }
    _ = peer.receive(.noteOff(channel, key: 64, velocity: 64), at: now)
    peer.receiver.execute(isSessionEnded ? .close(slot: 0, SessionID(number: 1)) : .releaseNotes)
    var (ends, copies): ([Message], [Message]) = ([], [])
    while let output = peer.receiver.next() {
      switch output {
      case .sound(let message, _): ends.append(message)
      case .reception(.released(_, let message)): copies.append(message)
      case .hear, .record, .pitch, .localPitch, .shape, .send, .reception: Issue.record("\(output)")
      }
    }
    let expected: [Message] = [60, 67].map { .noteOff(channel, key: $0, velocity: 64) }
    #expect(ends == expected && copies == expected)
    #expect(peer.execute(.releaseNotes) == [])
  }
}
