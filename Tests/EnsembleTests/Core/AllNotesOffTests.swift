import MIDI
import MusicalTime
import PeerProtocol
import Sending
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// All Sound Off and All Notes Off of remote peers and of the local player.
@Suite struct AllNotesOffTests {
  private let now = Instant(nanoseconds: 0)
  private let session = SessionID(number: 1)
  private let channel = Channel(3)!
  private let remote = Identity(2)

  /// Returns a core in session with one Tutti peer.
  private func makeCore() -> PeerCore {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 99, isInitiator: true)
    core.established(session, info, at: now)
    core.recognised(session, remote, at: now)
    _ = core.takeOutputs(at: now)
    return core
  }

  /// Returns the messages of the remote peer that have sounded since the previous call.
  private func takeSounds(of core: PeerCore) -> [Message] {
    core.takeOutputs(at: now).compactMap { if case .sound(let message, from: session) = $0 { message } else { nil } }
  }

  private func message(_ controller: UInt7) -> Message { .controlChange(channel, controller: controller, value: 0) }

  @Test(arguments: [UInt7(120), 123, 127]) func messagePassesAClosedGateOncePerNote(controller: UInt7) throws {
    let core = makeCore()
    core.sound(.noteOn(channel, key: 60, velocity: 100), on: session, at: now)
    try core.ensemble.gates.apply("all=closed")
    _ = takeSounds(of: core)
    for _ in 0..<3 { core.sound(message(controller), on: session, at: now) }
    #expect(takeSounds(of: core) == [message(controller)])
    // The note has ended already when its peer leaves.
    core.releaseNotes(of: session)
    #expect(takeSounds(of: core).isEmpty)
  }

  @Test func messagePassesAnExhaustedBudget() {
    let core = makeCore()
    core.sound(.noteOn(channel, key: 60, velocity: 100), on: session, at: now)
    for _ in 0..<1000 { core.sound(.controlChange(channel, controller: 1, value: 1), on: session, at: now) }
    _ = takeSounds(of: core)
    core.sound(message(123), on: session, at: now)
    #expect(takeSounds(of: core) == [message(123)])
  }

  /// One peer floods the local peer. The messages of another peer still sound.
  @Test func floodOfOnePeerDoesNotExhaustTheBudgetOfAnother() {
    let core = makeCore()
    let (other, otherIdentity) = (SessionID(number: 2), Identity(3))
    let info = SessionInfo(
      name: "c", ssrc: 3, control: SocketAddress(host: 2, port: 5004), data: SocketAddress(host: 2, port: 5005),
      local: nil, localSSRC: 98, isInitiator: true)
    core.established(other, info, at: now)
    core.recognised(other, otherIdentity, at: now)
    for _ in 0..<1000 { core.sound(.controlChange(channel, controller: 1, value: 1), on: session, at: now) }
    let refused = core.notes.refused
    _ = core.takeOutputs(at: now)
    core.sound(.noteOn(channel, key: 60, velocity: 100), on: other, at: now)
    let sounds = core.takeOutputs(at: now).count { if case .sound(_, from: other) = $0 { true } else { false } }
    #expect(sounds == 1 && refused == 1000 - 512 && core.notes.refused == refused)
  }

  /// Returns the messages of the local player that were sent since the previous call, and their receivers.
  private func takeSent(by core: PeerCore) -> [StreamMessage] {
    core.takeOutputs(at: now).compactMap { if case .stream(.message(let sent)) = $0 { sent } else { nil } }
  }

  /// The player holds a note for one peer, then plays for all peers. All Notes Off ends both notes.
  @Test func playersMessageEndsNotesAtFormerReceivers() throws {
    let core = makeCore()
    core.recipient = remote
    core.play(.noteOn(channel, key: 60, velocity: 100), at: now)
    core.recipient = nil
    core.play(.noteOn(channel, key: 62, velocity: 100), at: now)
    _ = takeSent(by: core)
    core.play(message(123), at: now)
    let stream = try #require(core.roster.stream(of: session))
    let sent = takeSent(by: core)
    #expect(sent.filter { $0.receiver == .stream(stream) }.map { $0.message.silencesNote } == [true])
    #expect(sent.filter { $0.receiver == .standardDevices }.map(\.message) == [message(123)])
    #expect(sent.filter { $0.receiver == .tuttiPeers }.map(\.message) == [message(123).on(PeerCore.lastChannel)])
    core.releaseNotes()
    #expect(takeSent(by: core).isEmpty)
  }

  /// A keyboard and a pad of the player share the channel of the local peer. All Notes Off of the pad does not end the note
  /// of the keyboard.
  @Test func playersMessageEndsNoNoteOfAnotherInstrument() {
    let core = makeCore()
    core.play(.noteOn(channel, key: 60, velocity: 100), at: now)
    core.play(.noteOn(Channel(5)!, key: 72, velocity: 100), at: now)
    _ = takeSent(by: core)
    core.play(message(123), at: now)
    #expect(
      takeSent(by: core).filter { $0.receiver == .tuttiPeers }.map(\.message) == [
        .noteOff(PeerCore.lastChannel, key: 60, velocity: 64)
      ])
    core.releaseNotes()
    #expect(
      takeSent(by: core).filter { $0.receiver == .tuttiPeers }.map(\.message) == [
        .noteOff(PeerCore.lastChannel, key: 72, velocity: 64)
      ])
  }
}
