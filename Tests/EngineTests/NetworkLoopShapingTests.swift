import MIDI
import MusicalTime
import Realtime
import Receiving
import Rhythm
import Testing
import Transports
import _TestSupport

@testable import Engine
@testable import RTPMIDI

/// A test of the local player's instrument on the network thread, while a remote player moves its controls.
@Suite struct NetworkLoopShapingTests {
  /// The pitch of the instrument follows the control `tilt forward` (controller 1), which is at its centre. The remote player moves the
  /// control to its end: it sends controller 1 with the value 127 on channel 5, the channel of the local player. If shaping is permitted,
  /// the next note has the highest pitch, C6 (84).
  @Test(arguments: [false, true]) func controllerOfARemotePlayerMovesTheInstrument(shaping: Bool) throws {
    let (local, remote) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { local.close() }
    defer { remote.close() }
    let rings = NetworkRings(bell: Doorbell())
    var admission = Admission()
    (admission.notes, admission.modification, admission.shaping) = (true, true, shaping)
    let source = StreamSource(
      ssrc: 7, address: SocketAddress(host: 0x7F00_0001, port: remote.data.port), localSSRC: 1)
    rings.commands.push(.receiving(.open(slot: 0, SessionID(number: 1), source, admission)))
    rings.commands.push(.receiving(.localChannel(Channel(5)!)))
    var settings = InstrumentSettings()
    settings.number = 1
    let text = "name: a\ndescription: A test.\nsound: harp\nscale: C major, C4..C6\npitch: tilt forward\n"
    settings.table = InstrumentTable(try InstrumentLoader.instrument(from: text, file: "a.yaml"))
    rings.instrument.publish(settings)
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    var sender = PacketSender(ssrc: 7, sequence: 0)
    let control = Message.controlChange(Channel(5)!, controller: 1, value: 127)
    let packet = octets { _ = sender.encode(control, at: MonotonicClock.now, into: &$0) }
    _ = remote.data.send(packet, to: SocketAddress(host: 0x7F00_0001, port: local.data.port))
    loop.round()
    rings.commands.push(.receiving(.play(.noteOn(Channel(5)!, key: 60, velocity: 100))))
    rings.signal.signal()
    loop.round()
    var keys: [UInt8] = []
    while let event = rings.clock.sound.first.messages.pop() {
      if case .message(let message) = event.kind, message.startsNote { keys.append(message.key!.value) }
    }
    #expect(keys.count == 1 && (keys.first == 84) == shaping, "\(keys)")
  }
}
