import Logging
import MusicalTime
import Rhythm
import _TestSupport

@testable import Engine

/// A peer without a thread of its own, with a rhythm of drums and bass. The test executes its commands and reads its log.
final class CommandedPeer {
  let peer: Peer
  private let capture = LogCapture()

  init(_ name: String) throws {
    _ = try LivePeer.state.get()
    var configuration = PeerConfiguration(
      name: name, tempo: .standard, patch: try Self.patch(), patchName: "pulse",
      soundFont: InstalledSoundFont.timGM6mb.path, command: "test")
    configuration.port = 0
    let capture = capture
    peer = try Peer(configuration, log: Logger(label: "test") { _ in LogCaptureHandler(capture) })
  }

  deinit { try? peer.leave() }

  /// The rhythm of the peer, or an edited version of it.
  static func patch(bpm: Int = 120) throws -> Patch {
    let text = """
      name: pulse
      description: A stick and a bass.
      tempo: \(bpm)
      chords: Am
      play: { always: { stick: xxxx xxxx xxxx xxxx } }
      parts: { bass: { always: { root: x... x... x... x... } } }
      """
    return try PatchLoader.patch(from: text, file: "pulse.yaml")
  }

  /// The log lines that a command causes.
  func lines(after command: PlayerCommand) -> [String] {
    let count = capture.lines.count
    peer.execute(command)
    return Array(capture.lines.dropFirst(count))
  }
}
