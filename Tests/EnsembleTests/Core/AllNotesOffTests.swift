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

  /// Returns a peer in session with one Tutti peer.
  private func makePeer() -> ListeningPeer {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 99, isInitiator: true)
    core.established(session, info, at: now)
    core.recognised(session, remote, at: now)
    let peer = ListeningPeer(core, at: now)
    _ = peer.takeOutputs()
    return peer
  }

  private func message(_ controller: UInt7) -> Message { .controlChange(channel, controller: controller, value: 0) }

  /// All Sound Off (120), All Notes Off (123) and Poly Mode On (127) end all notes. Such a message passes a closed gate only if it ends a
  /// note. Here the first of three messages ends the only note.
  @Test(arguments: [UInt7(120), 123, 127]) func messagePassesAClosedGateOncePerNote(controller: UInt7) throws {
    let peer = makePeer()
    let core = peer.core
    peer.receive(.noteOn(channel, key: 60, velocity: 100), on: session)
    try core.ensemble.gates.apply("all=closed")
    _ = peer.takeSounds()
    for _ in 0..<3 { peer.receive(message(controller), on: session) }
    #expect(peer.takeSounds() == [message(controller)])
    // The note has ended already when its peer leaves.
    core.handle(.closed(session), at: now)
    #expect(peer.takeSounds().isEmpty)
  }

  /// The budget limits the number of messages of a peer per second. At one instant, it admits 512 messages. All Notes Off passes although
  /// the budget is exhausted.
  @Test func messagePassesAnExhaustedBudget() {
    let peer = makePeer()
    peer.receive(.noteOn(channel, key: 60, velocity: 100), on: session)
    for _ in 0..<1000 { peer.receive(.controlChange(channel, controller: 1, value: 1), on: session) }
    _ = peer.takeSounds()
    peer.receive(message(123), on: session)
    #expect(peer.takeSounds() == [message(123)])
  }

  /// One peer floods the local peer. The messages of another peer still sound. At one instant, a limit admits 512
  /// controllers, and the last value waits.
  @Test func floodOfOnePeerDoesNotExhaustTheBudgetOfAnother() {
    let peer = makePeer()
    let core = peer.core
    let (other, otherIdentity) = (SessionID(number: 2), Identity(3))
    let info = SessionInfo(
      name: "c", ssrc: 3, control: SocketAddress(host: 2, port: 5004), data: SocketAddress(host: 2, port: 5005),
      local: nil, localSSRC: 98, isInitiator: true)
    core.established(other, info, at: now)
    core.recognised(other, otherIdentity, at: now)
    for _ in 0..<1000 { peer.receive(.controlChange(channel, controller: 1, value: 1), on: session) }
    let refused = peer.refused
    _ = peer.takeSounds()
    peer.receive(.noteOn(channel, key: 60, velocity: 100), on: other)
    #expect(peer.takeSounds().count == 1 && refused == 1000 - 512 - 1 && peer.refused == refused)
  }

  /// Returns the messages of the local player that were sent since the previous call, and their receivers.
  private func takeSent(by peer: ListeningPeer) -> [StreamMessage] {
    peer.takeOutputs().compactMap { if case .stream(.message(let sent)) = $0 { sent } else { nil } }
  }

  /// The player holds a note for one peer, then plays for all peers. All Notes Off ends both notes. The local peer has no channel of its
  /// own yet, so it sends messages to Tutti peers on channel 16 (`lastChannel`).
  @Test func playersMessageEndsNotesAtFormerReceivers() throws {
    let peer = makePeer()
    let core = peer.core
    core.recipient = remote
    core.play(.noteOn(channel, key: 60, velocity: 100))
    core.recipient = nil
    core.play(.noteOn(channel, key: 62, velocity: 100))
    _ = takeSent(by: peer)
    core.play(message(123))
    let stream = try #require(core.roster.stream(of: session))
    let sent = takeSent(by: peer)
    #expect(sent.filter { $0.receiver == .stream(stream) }.map { $0.message.silencesNote } == [true])
    #expect(sent.filter { $0.receiver == .standardDevices }.map(\.message) == [message(123)])
    #expect(sent.filter { $0.receiver == .tuttiPeers }.map(\.message) == [message(123).on(PeerCore.lastChannel)])
    core.releaseNotes()
    #expect(takeSent(by: peer).isEmpty)
  }

  /// A pad on channel 3 and a keyboard on channel 5 belong to the player. Tutti peers get the notes of both on one channel, 16, because the
  /// local peer has no channel of its own yet. All Notes Off of the pad does not end the note of the keyboard.
  @Test func playersMessageEndsNoNoteOfAnotherInstrument() {
    let peer = makePeer()
    let core = peer.core
    core.play(.noteOn(channel, key: 60, velocity: 100))
    core.play(.noteOn(Channel(5)!, key: 72, velocity: 100))
    _ = takeSent(by: peer)
    core.play(message(123))
    #expect(
      takeSent(by: peer).filter { $0.receiver == .tuttiPeers }.map(\.message) == [
        .noteOff(PeerCore.lastChannel, key: 60, velocity: 64)
      ])
    core.releaseNotes()
    #expect(
      takeSent(by: peer).filter { $0.receiver == .tuttiPeers }.map(\.message) == [
        .noteOff(PeerCore.lastChannel, key: 72, velocity: 64)
      ])
  }
}
