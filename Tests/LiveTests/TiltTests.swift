import Logging
import MIDI
import MusicalTime
import Rhythm
import Testing
import _TestSupport
import _TestTraits

@testable import Engine

/// Tests of the keys `[` and `]`, which change the control `tilt forward` (controller 1).
@Suite(.ownThreads) struct TiltTests {
  /// A change is relative to the last value of controller 1, even if another command has set this value.
  @Test func tiltContinuesFromTheLastValueOfTheController() throws {
    _ = try LivePeer.state.get()
    let text = "name: tick\ndescription: A stick.\ntempo: 120\nplay: { always: { stick: xxxx xxxx xxxx xxxx } }\n"
    var configuration = PeerConfiguration(
      name: "tilt", tempo: .standard, patch: try PatchLoader.patch(from: text, file: "tick.yaml"), patchName: "tick",
      soundFont: InstalledSoundFont.timGM6mb.path, command: "test")
    configuration.port = 0
    let capture = LogCapture()
    let peer = try Peer(configuration, log: Logger(label: "test") { _ in LogCaptureHandler(capture) })
    let commands: [PlayerCommand] = [
      .tilt(by: 8), .control(1, value: 100), .tilt(by: 8), .control(2, value: 5), .tilt(by: 30), .tilt(by: -7), .leave,
    ]
    for command in commands { peer.mailbox.post(command) }
    var values: [UInt8] = []
    try peer.run(watchers: [
      { event in
        if case .sounded(.controlChange(_, 1, let value), from: nil) = event.kind { values.append(value.value) }
      }
    ])
    #expect(values == [72, 100, 108, 127, 120])
  }
}
