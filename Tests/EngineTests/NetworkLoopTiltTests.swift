import MIDI
import MusicalTime
import Realtime
import Receiving
import Rhythm
import Testing
import Transports

@testable import Engine

/// A test of the control `tilt forward` (controller 1) on the network thread, while a device moves its modulation wheel.
@Suite struct NetworkLoopTiltTests {
  /// The pitch of the instrument follows the control. The device moves the wheel from the centre to 100, with an instrument or before the
  /// player chooses one. The player then changes the control by 27, so it reaches its end, and the next note has the highest pitch, C6 (84).
  @Test(arguments: [false, true]) func changeIsRelativeToTheWheel(isMovedBefore: Bool) throws {
    let local = try PortPair(port: 0)
    defer { local.close() }
    let rings = NetworkRings(bell: Doorbell())
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    func moveWheel() {
      let control = Message.controlChange(Channel(3)!, controller: 1, value: 100)
      let isPlayed = loop.play(control, from: ProgramID(client: 128, port: 0), at: MonotonicClock.now)
      #expect(isPlayed)
    }
    if isMovedBefore { moveWheel() }
    var settings = InstrumentSettings()
    settings.number = 1
    let text = "name: a\ndescription: A test.\nsound: harp\nscale: C major, C4..C6\npitch: tilt forward\n"
    settings.table = InstrumentTable(try InstrumentLoader.instrument(from: text, file: "a.yaml"))
    rings.instrument.publish(settings)
    rings.signal.signal()
    loop.round()
    if !isMovedBefore { moveWheel() }
    rings.commands.push(.tilt(by: 27))
    rings.commands.push(.receiving(.play(.noteOn(Channel(5)!, key: 60, velocity: 100))))
    rings.signal.signal()
    loop.round()
    var keys: [UInt8] = []
    while let event = rings.clock.sound.first.messages.pop() {
      if case .message(let message) = event.kind, message.startsNote { keys.append(message.key!.value) }
    }
    #expect(keys == [84])
  }
}
