import MIDI
import MusicalTime
import Seeds
import Testing

@testable import Ensemble
@testable import RTPMIDI

/// What a peer was told before it was known to be a Tutti peer.
@Suite struct LateRecognitionTests {
  /// It came as the instrument has it, and everything after goes on the own channel.
  @Test func aNoteThatOneWasToldAsAForeignPeerEnds() {
    let (now, session, one) = (Instant(nanoseconds: 0), SessionID(number: 1), Channel(wire: 0))
    let member = Member(
      name: "a", ensemble: Ensemble(identity: Identity(1)), connections: Connections(to: [], own: Identity(1), at: now),
      random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      isInitiator: true)
    func told() -> [Message] {
      member.drain(at: now).compactMap {
        if case .stream(.message(let message, _, .session(session))) = $0 { message } else { nil }
      }
    }
    member.established(session, info, at: now)
    member.play(.noteOn(one, key: 60, velocity: 100), at: now)
    member.play(.controlChange(one, controller: 64, value: 127), at: now)
    member.play(.noteOn(one, key: 61, velocity: 100), at: now)
    member.play(.noteOff(one, key: 61, velocity: 64), at: now)
    #expect(told().isEmpty)
    member.recognised(session, Identity(2), at: now)
    #expect(told() == [.noteOff(one, key: 60, velocity: 64), .controlChange(one, controller: 64, value: 0)])
  }
}
