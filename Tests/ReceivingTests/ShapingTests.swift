import MIDI
import MusicalTime
import Receiving
import Sending
import Testing
import _TestSupport

@testable import RTPMIDI

/// Controllers that change the sound of the instrument of another player.
@Suite struct ShapingTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let address = SocketAddress(host: 1, port: 5005)
  private static let local = Channel(5)!

  private func control(_ controller: UInt7, on channel: Channel = local) -> Message {
    .controlChange(channel, controller: controller, value: 90)
  }

  /// The outputs of a receiver whose player has channel 5, for a message of the remote peer in session 1. The parameters `shaping` and
  /// `modification` are permissions of the remote peer.
  private func outputs(of message: Message, shaping: Bool = true, modification: Bool = true) -> [Receiver.Output] {
    var receiver = Receiver(identity: 1)
    receiver.add(SessionBlock())
    var admission = Admission()
    (admission.notes, admission.modification, admission.shaping) = (true, modification, shaping)
    let source = StreamSource(ssrc: 7, address: address, localSSRC: 1)
    receiver.execute(.open(slot: 0, SessionID(number: 1), source, admission))
    receiver.execute(.localChannel(Self.local))
    var sender = PacketSender(ssrc: 7, sequence: 0)
    let packet = octets { _ = sender.encode(message, at: now, into: &$0) }
    _ = receiver.receive(packet.span, from: address, at: now)
    var outputs: [Receiver.Output] = []
    while let output = receiver.next(in: packet.span) { outputs.append(output) }
    return outputs
  }

  /// The messages that shape the instrument of the local player.
  private func shapes(_ outputs: [Receiver.Output]) -> [Message] {
    outputs.compactMap { if case .shape(let message, _) = $0 { message } else { nil } }
  }

  /// The controller does not sound by itself. The message for the control thread is not marked as admitted, so the controller does not
  /// count as a setting of the remote player.
  @Test func controllerOnTheChannelOfThePlayerShapesTheInstrument() {
    let outputs = outputs(of: control(1))
    guard outputs.count == 3, case .shape(control(1), _) = outputs[0], case .reception(.shaped) = outputs[1],
      case .reception(.message(_, control(1), _, _, _, isAdmitted: false)) = outputs[2]
    else {
      Issue.record("\(outputs)")
      return
    }
  }

  /// A controller shapes the instrument if it is on the channel of the local player and changes the character of the sound
  /// (``MIDI/Message/shapesInstrument``). Volume (7), pan (10), expression (11), the sustain pedal (64) and mode messages (120, 123)
  /// do not change it.
  @Test func otherMessagesShapeNothing() {
    for message in [
      control(1, on: Channel(6)!), control(7), control(10), control(11), control(64), control(120), control(123),
      .noteOn(Self.local, key: 60, velocity: 90), .pitchBend(Self.local, UInt14(clamping: 0)),
    ] {
      let outputs = outputs(of: message)
      #expect(shapes(outputs).isEmpty, "\(message)")
      guard case .sound(message, _)? = outputs.first else {
        Issue.record("\(message) has no effect")
        continue
      }
    }
  }

  @Test func peerWithoutPermissionShapesNothing() {
    #expect(shapes(outputs(of: control(1), shaping: false)).isEmpty)
    #expect(shapes(outputs(of: control(1), modification: false)).isEmpty)
  }

  /// A MIDI program of the local player plays on channel 6, which belongs to another player. On channel 6, the other player gets the
  /// controllers that shape its instrument. On channel 5, the channel of the local player, the other player gets notes and volume.
  @Test func controllersOnTheChannelOfAnotherPlayerGoThereUnchanged() {
    var allocator = StreamIDAllocator()
    let stream = allocator.allocate()
    let (other, program) = (Channel(6)!, ProgramID(client: 128, port: 0))
    var receiver = Receiver(identity: 1)
    receiver.execute(.route(other, PlayerRoute(.stream(stream), on: Self.local, shaping: other)))
    func sent(_ message: Message) -> [Message] {
      receiver.play(message, from: program, at: now)
      var sent: [Message] = []
      while let output = receiver.next() { if case .send(let message) = output { sent.append(message.message) } }
      return sent
    }
    #expect(sent(control(74, on: other)) == [control(74, on: other)])
    #expect(sent(control(7, on: other)) == [control(7)])
    #expect(sent(.noteOn(other, key: 60, velocity: 1)) == [.noteOn(Self.local, key: 60, velocity: 1)])
    // Volume (7) shapes no instrument. On the channel of the local player, Brightness (74) changes the sound of the local player.
    let shapes = [control(74, on: other), control(7, on: other), control(74)].map { receiver.shapesOtherInstrument($0) }
    #expect(shapes == [true, false, false])
  }
}
