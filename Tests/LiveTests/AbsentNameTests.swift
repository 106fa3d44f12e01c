import Ensemble
import Testing
import _TestTraits

@testable import Engine

/// Tests of commands that name something that does not exist: a part that the rhythm does not have, a peer that is
/// not connected, or a sound card.
@Suite(.ownThreads) struct AbsentNameTests {
  @Test func partThatTheRhythmDoesNotHaveIsRefused() throws {
    let subject = try CommandedPeer("absent-part")
    #expect(subject.lines(after: .level(.keys, 60)) == ["the rhythm: it does not play; start it"])
    _ = subject.lines(after: .start)
    let refusal = "part keys: the rhythm pulse has none; give one of: drums, bass, or choose another rhythm"
    for command in [PlayerCommand.level(.keys, 60), .plays(.keys, false), .plays(.keys, true)] {
      #expect(subject.lines(after: command) == [refusal])
    }
    #expect(subject.peer.ensemble.latestMix == .standard)
    #expect(subject.lines(after: .level(.bass, 60)) == ["bass: level 60 % from the next bar on"])
    #expect(subject.lines(after: .plays(.drums, false)) == ["drums: off from the next bar on"])
  }

  @Test func ruleForAnAbsentPeerIsKeptAndReported() throws {
    let subject = try CommandedPeer("absent-peer")
    for (command, confirmation, lines) in try [
      ("hear", nil, subject.lines(after: .hear(HearingRule("Ben")))),
      ("gate", "gates: notes closed for Ben", subject.lines(after: .gate(GateRule("Ben:notes=closed")))),
      (
        "led-by", "the rhythm: only absent-peer may control it; while absent-peer is absent, Ben",
        subject.lines(after: .ledBy(["absent-peer", "Ben"]))
      ),
    ] {
      #expect(
        lines == (confirmation.map { [$0] } ?? []) + [
          "\(command) Ben: no connected peer has this name or identity; the rule applies when it connects; "
            + "the command `peers` lists the names"
        ])
    }
    #expect(subject.peer.ensemble.gates.leaders == ["absent-peer", "Ben"])
    let lines = subject.lines(after: .mute("Ben", true))
    #expect(lines.first?.hasPrefix("peer Ben: no connected Tutti peer") == true)
  }

  @Test func latencyOfAMissingSoundCardIsRefused() throws {
    let subject = try CommandedPeer("absent-card")
    let refusal = "latency: has no effect without a sound card; start this peer with --audio alsa"
    #expect(subject.lines(after: .latency(milliseconds: -5)) == [refusal])
    #expect(subject.peer.latency == .zero)
  }
}
