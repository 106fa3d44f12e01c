import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// How the notes of a remote peer sound at a core whose player has chosen which players to hear.
@Suite struct HearingTests {
  private let now = Instant(nanoseconds: 0)
  private let session = SessionID(number: 1)
  private let note = Message.noteOn(Channel(3)!, key: 60, velocity: 100)
  private let end = Message.noteOff(Channel(3)!, key: 60, velocity: 64)

  /// Returns a peer in session with a device that is not identified yet. The player hears no Tutti peer (`none`).
  private func makePeer() throws -> ListeningPeer {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 99, isInitiator: true)
    core.established(session, info, at: now)
    let peer = ListeningPeer(core, at: now)
    try core.hearing.apply("none")
    return peer
  }

  /// The messages that the core passes to the programs at its ALSA port for notes, whether they sound or not.
  private func passed(_ peer: ListeningPeer) -> [Message] {
    peer.takeOutputs().compactMap { if case .sounded(let message, _) = $0 { message } else { nil } }
  }

  @Test func notesOfATuttiPeerDoNotSoundUnlessThePlayerHearsIt() throws {
    let peer = try makePeer()
    peer.core.recognised(session, Identity(2), at: now)
    _ = peer.takeOutputs()
    peer.receive(note, on: session)
    #expect(peer.takeSounds().isEmpty && passed(peer) == [note])
    try peer.core.hearing.apply("b=50")
    peer.receive(note, on: session)
    #expect(peer.takeSounds() == [.noteOn(Channel(3)!, key: 60, velocity: 50)] && passed(peer) == [note])
    try peer.core.hearing.apply("none")
    #expect(peer.takeSounds() == [end])
  }

  /// While all players are quiet (`Mix.isQuiet`), no note sounds, not even a note of a device that is not identified. Afterwards, notes
  /// sound as before.
  @Test func notesDoNotSoundWhileAllPlayersAreQuiet() throws {
    let peer = try makePeer()
    try peer.core.ensemble.start(tempo: .standard, at: now)
    _ = peer.takeOutputs()
    peer.receive(note, on: session)
    #expect(peer.takeSounds() == [note])
    var mix = Mix()
    mix.isQuiet = true
    try peer.core.ensemble.change(mix: mix, isImmediate: true, at: now)
    #expect(peer.takeSounds() == [end])
    peer.receive(note, on: session)
    #expect(peer.takeSounds().isEmpty && passed(peer).last == note)
    // This change sends new admissions to the receiver. Admissions determine how the messages of each peer sound. These admissions also
    // state that the players are quiet, so the core must replace them when the quiet ends.
    try peer.core.hearing.apply("all=50")
    _ = peer.takeOutputs()
    mix.isQuiet = false
    try peer.core.ensemble.change(mix: mix, at: now)
    _ = peer.takeOutputs()
    peer.receive(note, on: session)
    // The choice of 50 % is for Tutti peers. The device is not identified, so its note keeps its velocity.
    #expect(peer.takeSounds() == [note])
  }

  /// The notes of one peer can set the pitches of the local player's instrument (``PeerCore/pitchSource``). These notes do not sound, even
  /// if the player hears all peers. They still reach the programs.
  @Test func notesOfThePeerThatSetsThePitchesDoNotSound() throws {
    let peer = try makePeer()
    try peer.core.hearing.apply("all=100")
    peer.core.recognised(session, Identity(2), at: now)
    _ = peer.takeOutputs()
    peer.core.pitchSource = Identity(2)
    peer.receive(note, on: session)
    #expect(peer.takeSounds().isEmpty && passed(peer) == [note])
    peer.core.pitchSource = nil
    peer.receive(note, on: session)
    #expect(peer.takeSounds() == [note])
  }

  /// The choice `none` does not apply to a standard device, because such a device has no sound of its own.
  @Test func notesOfAStandardDeviceSound() throws {
    let peer = try makePeer()
    peer.core.recognisedAsStandardDevice(session, at: now)
    peer.receive(note, on: session)
    #expect(peer.takeSounds() == [note])
  }

  /// A peer that is not identified yet may be a standard device. Its notes end when it turns out to be a Tutti peer.
  @Test func recognitionEndsNotesThatSound() throws {
    let peer = try makePeer()
    peer.receive(note, on: session)
    #expect(peer.takeSounds() == [note])
    peer.core.recognised(session, Identity(2), at: now)
    #expect(peer.takeSounds() == [end])
    peer.receive(end, on: session)
    #expect(peer.takeSounds().isEmpty)
  }
}
