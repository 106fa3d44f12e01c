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

/// A test of the local player's instrument on the network thread, while a remote player sets its pitches.
@Suite struct NetworkLoopPitchesTests {
  /// The remote player holds D5 and G5. These notes do not sound. Each action of the local player plays one of them: the newest
  /// first, then the others in turn. When the local player no longer uses the pitches of the remote player, the instrument plays its own
  /// pitch, C5.
  @Test func eachActionPlaysAPitchOfTheRemotePlayer() throws {
    let (local, remote) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { local.close() }
    defer { remote.close() }
    let rings = NetworkRings(bell: Doorbell())
    let session = SessionID(number: 1)
    var admission = Admission()
    (admission.notes, admission.modification, admission.pitchChannels) = (true, true, .max)
    let source = StreamSource(
      ssrc: 7, address: SocketAddress(host: 0x7F00_0001, port: remote.data.port), localSSRC: 1)
    rings.commands.push(.receiving(.open(slot: 0, session, source, admission)))
    var settings = InstrumentSettings()
    // Both numbers change with each choice of the player. The source 0 means that no other player sets the pitches.
    (settings.number, settings.pitchSource) = (1, 1)
    let text = "name: a\ndescription: A test.\nsound: harp\nscale: C major, C4..C6\npitch: tilt forward\n"
    settings.table = InstrumentTable(try InstrumentLoader.instrument(from: text, file: "a.yaml"))
    rings.instrument.publish(settings)
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    var sender = PacketSender(ssrc: 7, sequence: 0)
    for key in [74, 79] as [UInt7] {
      let note = Message.noteOn(Channel(5)!, key: key, velocity: 90)
      let packet = octets { _ = sender.encode(note, at: MonotonicClock.now, into: &$0) }
      _ = remote.data.send(packet, to: SocketAddress(host: 0x7F00_0001, port: local.data.port))
      loop.round()
    }
    /// The keys that an action plays.
    func act() -> [UInt8] {
      // Two notes of a key at the same position of the rhythm sound once. A position has a resolution of 21 us, so the test waits.
      MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(1))
      rings.commands.push(.receiving(.play(.noteOn(Channel(5)!, key: 60, velocity: 100))))
      rings.signal.signal()
      var keys: [UInt8] = []
      // On a busy machine, the instrument may play in a later round.
      let limit = MonotonicClock.now + .seconds(Child.patience.components.seconds)
      while keys.isEmpty, MonotonicClock.now < limit {
        loop.round()
        keys = startedKeys()
      }
      return keys
    }
    func startedKeys() -> [UInt8] {
      var keys: [UInt8] = []
      while let event = rings.clock.sound.first.messages.pop() {
        if case .message(let message) = event.kind, message.startsNote { keys.append(message.key!.value) }
      }
      return keys
    }
    let played = [act(), act(), act()]
    #expect(played == [[79], [74], [79]])
    settings.pitchSource = 0
    rings.instrument.publish(settings)
    let own = act()
    #expect(own == [72])
  }
}
