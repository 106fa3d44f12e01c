import Logging
import MusicalTime
import Rhythm
import Testing
import _TestSupport
import _TestTraits

@testable import Engine

/// Tests of commands that name something that does not exist: a part that the rhythm does not have, or a peer that is not connected.
@Suite(.ownThreads) struct AbsentNameTests {
  /// A peer with a rhythm of drums and bass, whose commands the test executes.
  private final class Subject {
    let peer: Peer
    private let capture = LogCapture()

    init(_ name: String) throws {
      _ = try LivePeer.state.get()
      let text = """
        name: pulse
        description: A stick and a bass.
        tempo: 120
        chords: Am
        play: { always: { stick: xxxx xxxx xxxx xxxx } }
        parts: { bass: { always: { root: x... x... x... x... } } }
        """
      var configuration = PeerConfiguration(
        name: name, tempo: .standard, patch: try PatchLoader.patch(from: text, file: "pulse.yaml"), patchName: "pulse",
        soundFont: InstalledSoundFont.timGM6mb.path, command: "test")
      configuration.port = 0
      let capture = capture
      peer = try Peer(configuration, log: Logger(label: "test") { _ in LogCaptureHandler(capture) })
    }

    deinit { try? peer.leave() }

    /// The last log line after a command.
    func line(after command: PlayerCommand) -> String? {
      peer.execute(command)
      return capture.lines.last
    }
  }

  @Test func partThatTheRhythmDoesNotHaveIsRefused() throws {
    let subject = try Subject("absent-part")
    #expect(subject.line(after: .level(.keys, 60)) == "the rhythm: it does not play; start it")
    _ = subject.line(after: .start)
    let refusal = "part keys: the rhythm pulse has none; give one of: drums, bass, or choose another rhythm"
    for command in [PlayerCommand.level(.keys, 60), .plays(.keys, false), .plays(.keys, true)] {
      #expect(subject.line(after: command) == refusal)
    }
    #expect(subject.peer.ensemble.latestMix == .standard)
    #expect(subject.line(after: .level(.bass, 60)) == "bass: level 60 % from the next bar on")
    #expect(subject.line(after: .plays(.drums, false)) == "drums: off from the next bar on")
  }

  @Test func ruleForAnAbsentPeerIsKeptAndReported() throws {
    let subject = try Subject("absent-peer")
    for (command, line) in try [
      ("hear", subject.line(after: .hear(HearingRule("Ben")))),
      ("gate", subject.line(after: .gate(GateRule("Ben:notes=closed")))),
      ("led-by", subject.line(after: .ledBy(["absent-peer", "Ben"]))),
    ] {
      #expect(
        line == "\(command) Ben: no connected peer has this name or identity; the rule applies when it connects; "
          + "the command `peers` lists the names")
    }
    #expect(subject.peer.ensemble.gates.leaders == ["absent-peer", "Ben"])
    #expect(subject.line(after: .mute("Ben", true))?.hasPrefix("peer Ben: no connected Tutti peer") == true)
  }
}
