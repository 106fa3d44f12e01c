import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// What a peer was told before it was known to be a Tutti peer.
@Suite struct LateRecognitionTests {
  private let now = Instant(nanoseconds: 0)
  private let session = SessionID(number: 1)
  private let one = Channel(wire: 0)

  /// A core in session with one of whom nothing is known yet.
  private func acquainted() -> PeerCore {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      connections: Connections(to: [], local: Identity(1), at: now),
      random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      isInitiator: true)
    core.established(session, info, at: now)
    return core
  }

  /// It came as the instrument has it, and everything after goes on the own channel.
  @Test func aNoteThatOneWasToldAsAForeignPeerEnds() {
    let core = acquainted()
    func told() -> [Message] {
      core.drain(at: now).compactMap {
        if case .stream(.message(let sent)) = $0, sent.receiver == core.roster.stream(of: session).map({ .stream($0) })
        {
          sent.message
        } else {
          nil
        }
      }
    }
    core.play(.noteOn(one, key: 60, velocity: 100), at: now)
    core.play(.controlChange(one, controller: 64, value: 127), at: now)
    core.play(.noteOn(one, key: 61, velocity: 100), at: now)
    core.play(.noteOff(one, key: 61, velocity: 64), at: now)
    #expect(told().isEmpty)
    core.recognised(session, Identity(2), at: now)
    #expect(told() == [.noteOff(one, key: 60, velocity: 64), .controlChange(one, controller: 64, value: 0)])
  }

  private func sounded(by core: PeerCore) -> [Message] {
    core.drain(at: now).compactMap { if case .sound(let message, from: session) = $0 { message } else { nil } }
  }

  /// It may be the one that the gate is closed to: 2 is, 3 is not.
  @Test(arguments: [2, 3, nil]) func whatIsClosedToOneIsClosedToTheUnknown(identity: UInt64?) throws {
    let core = acquainted()
    try core.ensemble.gates.apply("\(Identity(2)):notes=closed")
    let (note, modulation) = (
      Message.noteOn(one, key: 60, velocity: 100), Message.controlChange(one, controller: 1, value: 1)
    )
    for message in [note, modulation] { core.sound(message, on: session, at: now) }
    #expect(sounded(by: core) == [modulation])
    if let identity {
      core.recognised(session, Identity(identity), at: now)
    } else {
      core.recognisedAsStandardDevice(session, at: now)
    }
    for message in [note, modulation] { core.sound(message, on: session, at: now) }
    #expect(sounded(by: core) == (identity == 2 ? [modulation] : [note, modulation]))
  }

  /// Its answers were lost, and then it asks.
  @Test func soItIsToOneThatWasTakenForForeign() throws {
    let core = acquainted()
    try core.ensemble.gates.apply("\(Identity(2)):notes=closed")
    core.handle(.peer(session, .standardDevice), at: now)
    core.handle(.peer(session, .tuttiPeer), at: now)
    core.sound(.noteOn(one, key: 60, velocity: 100), on: session, at: now)
    core.sound(.controlChange(one, controller: 7, value: 90), on: session, at: now)
    #expect(sounded(by: core).isEmpty)
  }

  /// Whom a default keeps out is let in by name or identity when it is known.
  @Test func whatIsClosedByDefaultIsClosedToTheUnknown() throws {
    let core = acquainted()
    for rule in ["notes=closed", "b:notes=open"] { try core.ensemble.gates.apply(rule) }
    let note = Message.noteOn(one, key: 60, velocity: 100)
    core.sound(note, on: session, at: now)
    #expect(sounded(by: core).isEmpty)
    core.recognisedAsStandardDevice(session, at: now)
    core.sound(note, on: session, at: now)
    #expect(sounded(by: core) == [note])
  }

  /// A total on channel 1 is a volume where it comes from another instrument, and nothing that sounds from a Tutti peer.
  @Test(arguments: [true, false]) func whatMayBeActivityWaits(isTutti: Bool) {
    let core = acquainted()
    for value: UInt7 in [90, 40] {
      core.sound(.controlChange(one, controller: 7, value: value), on: session, at: now)
    }
    core.sound(.controlChange(one, controller: 11, value: 70), on: session, at: now)
    core.sound(.controlChange(one, controller: 1, value: 1), on: session, at: now)
    #expect(sounded(by: core) == [.controlChange(one, controller: 1, value: 1)])
    if isTutti {
      core.recognised(session, Identity(2), at: now)
    } else {
      core.recognisedAsStandardDevice(session, at: now)
    }
    let told: [Message] = [
      .controlChange(one, controller: 7, value: 40), .controlChange(one, controller: 11, value: 70),
    ]
    #expect(sounded(by: core) == (isTutti ? [] : told))
  }
}
