import MIDI
import MusicalTime
import PeerProtocol
import Receiving
import Rhythm
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// A phrase that the local player records and sends, and a phrase that arrives from a remote peer.
@Suite struct PhraseTests {
  private let now = Instant(nanoseconds: 1_000_000_000)
  private let session = SessionID(number: 1)
  private let remote = Identity(2)
  private let channel = Channel(3)!

  /// Returns a core in session with a Tutti peer.
  private func makeCore() -> PeerCore {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 99, isInitiator: true)
    core.established(session, info, at: now)
    core.recognised(session, remote, at: now)
    return core
  }

  /// Returns a core whose player has begun to record in the first bar of a rhythm, and the instant at which the second bar begins.
  private func recordingCore() throws -> (core: PeerCore, bar: Instant) {
    let core = makeCore()
    try core.ensemble.start(tempo: .standard, at: now)
    let start = core.ensemble.schedule.deadline(Tick(0))
    try core.recordPhrase(bars: 1, by: Identity(1), at: start + .milliseconds(900))
    return (core, start + .seconds(2))
  }

  private func play(_ key: UInt7, _ core: PeerCore, from origin: MessageOrigin = .player, at instant: Instant) {
    core.played(.noteOn(channel, key: key, velocity: 99), soundedOn: channel, from: origin, at: instant)
    core.played(
      .noteOff(channel, key: key, velocity: 64), soundedOn: channel, from: origin, at: instant + .milliseconds(10))
  }

  @Test func notesOfTheNextBarAreRecorded() throws {
    let (core, bar) = try recordingCore()
    play(50, core, at: bar - .milliseconds(500))
    play(60, core, at: bar + .milliseconds(20))
    // A note of an instrument is reported before it sounds. The instant at which it sounds determines its step.
    play(64, core, from: .instrument(at: bar + .milliseconds(500)), at: bar + .milliseconds(430))
    // A note of the phrase that the player repeats is not recorded.
    play(67, core, from: .phrase, at: bar + .milliseconds(500))
    play(72, core, at: bar + .milliseconds(1875))
    // The bar lasts two seconds. The phrase is complete 50 ms later, because the notes of players are reported with a delay.
    #expect(core.takeRecordedPhrases(at: bar + .milliseconds(2049)).isEmpty)
    let expected = try #require(
      Phrase(
        stepCount: 16,
        notes: [(0, 60), (4, 64), (15, 72)].map { Phrase.Note(step: $0.0, key: $0.1, velocity: 99, length: 1) }))
    #expect(core.takeRecordedPhrases(at: bar + .milliseconds(2051)).map(\.result) == [.phrase(expected, omitted: 0)])
    #expect(core.takeRecordedPhrases(at: bar + .seconds(3)).isEmpty)
  }

  /// A recording has at most eight bars. Without notes, it gives no phrase.
  @Test func recordingNeedsARhythmThatPlaysUntilItsEnd() throws {
    #expect(throws: PhraseRecording.Failure.noRhythm) { try makeCore().recordPhrase(bars: 1, by: Identity(1), at: now) }
    let (core, bar) = try recordingCore()
    #expect(throws: PhraseRecording.Failure.tooLong(maximum: 8)) {
      try core.recordPhrase(bars: 9, by: Identity(1), at: bar)
    }
    #expect(core.takeRecordedPhrases(at: bar + .seconds(3)).map(\.result) == [.empty])
    let (other, start) = try recordingCore()
    try other.ensemble.stop(now: start)
    #expect(other.takeRecordedPhrases(at: start + .seconds(1)).map(\.result) == [.interrupted])
  }

  private func phrase(_ key: UInt8 = 60) throws -> Phrase {
    try #require(Phrase(stepCount: 16, notes: [Phrase.Note(step: 3, key: key, velocity: 99, length: 2)]))
  }

  /// Delivers a phrase of the remote peer to the core. Returns the events that inform the player of a phrase.
  private func receive(_ phrase: Phrase, _ core: PeerCore, at now: Instant) -> [Event] {
    _ = core.takeOutputs(at: now)
    let octets = PhraseMessage(phrase, from: remote, to: Identity(1)).systemExclusive
    core.handle(.systemExclusive(session, octets, at: now, arrival: now), at: now)
    return core.takeOutputs(at: now).compactMap {
      if case .event(let event) = $0, case .phraseReceived = event { event } else { nil }
    }
  }

  @Test func phraseIsSentToOnePeer() throws {
    let core = makeCore()
    _ = core.takeOutputs(at: now)
    let phrase = try phrase()
    #expect(core.send(phrase, from: Identity(1), to: remote) && !core.send(phrase, from: Identity(1), to: Identity(3)))
    let stream = core.roster.stream(of: remote)
    let sent = core.takeOutputs(at: now).compactMap {
      if case .stream(.exclusive(let data, stream, isJournalled: true)) = $0 { data.array } else { nil }
    }
    #expect(
      sent.compactMap { PhraseMessage(systemExclusive: $0) } == [PhraseMessage(phrase, from: Identity(1), to: remote)])
  }

  @Test func playerIsInformedOfAPhraseAtMostOncePerSecond() throws {
    let core = makeCore()
    let (first, second) = (try phrase(), try phrase(64))
    #expect(receive(first, core, at: now) == [.phraseReceived(first, from: remote, to: Identity(1))])
    #expect(receive(second, core, at: now + .milliseconds(999)).isEmpty)
    #expect(
      receive(second, core, at: now + .milliseconds(1000)) == [.phraseReceived(second, from: remote, to: Identity(1))])
    try core.ensemble.gates.apply("b:notes=closed")
    #expect(receive(first, core, at: now + .seconds(5)).isEmpty)
    // Neither the limit nor the gate counts a valid message as malformed.
    #expect(core.ensemble.rejected == 0)
  }
}
