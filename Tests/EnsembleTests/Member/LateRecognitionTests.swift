import MIDI
import MusicalTime
import Seeds
import Testing

@testable import Ensemble
@testable import RTPMIDI

/// What a peer was told before it was known to be a Tutti peer.
@Suite struct LateRecognitionTests {
  private let now = Instant(nanoseconds: 0)
  private let session = SessionID(number: 1)
  private let one = Channel(wire: 0)

  /// A member in session with one of whom nothing is known yet.
  private func acquainted() -> Member {
    let member = Member(
      name: "a", ensemble: Ensemble(identity: Identity(1)), connections: Connections(to: [], own: Identity(1), at: now),
      random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      isInitiator: true)
    member.established(session, info, at: now)
    return member
  }

  /// It came as the instrument has it, and everything after goes on the own channel.
  @Test func aNoteThatOneWasToldAsAForeignPeerEnds() {
    let member = acquainted()
    func told() -> [Message] {
      member.drain(at: now).compactMap {
        if case .stream(.message(let message, _, .session(session))) = $0 { message } else { nil }
      }
    }
    member.play(.noteOn(one, key: 60, velocity: 100), at: now)
    member.play(.controlChange(one, controller: 64, value: 127), at: now)
    member.play(.noteOn(one, key: 61, velocity: 100), at: now)
    member.play(.noteOff(one, key: 61, velocity: 64), at: now)
    #expect(told().isEmpty)
    member.recognised(session, Identity(2), at: now)
    #expect(told() == [.noteOff(one, key: 60, velocity: 64), .controlChange(one, controller: 64, value: 0)])
  }

  private func sounded(by member: Member) -> [Message] {
    member.drain(at: now).compactMap { if case .sound(let message, from: session) = $0 { message } else { nil } }
  }

  /// It may be the one that the gate is closed to: 2 is, 3 is not.
  @Test(arguments: [2, 3, nil]) func whatIsClosedToOneIsClosedToTheUnknown(identity: UInt64?) throws {
    let member = acquainted()
    try member.ensemble.gates.apply("\(Identity(2)):notes=closed")
    let (note, modulation) = (
      Message.noteOn(one, key: 60, velocity: 100), Message.controlChange(one, controller: 1, value: 1)
    )
    for message in [note, modulation] { member.sound(message, on: session, at: now) }
    #expect(sounded(by: member) == [modulation])
    if let identity {
      member.recognised(session, Identity(identity), at: now)
    } else {
      member.foreign(session, at: now)
    }
    for message in [note, modulation] { member.sound(message, on: session, at: now) }
    #expect(sounded(by: member) == (identity == 2 ? [modulation] : [note, modulation]))
  }

  /// Its answers were lost, and then it asks.
  @Test func soItIsToOneThatWasTakenForForeign() throws {
    let member = acquainted()
    try member.ensemble.gates.apply("\(Identity(2)):notes=closed")
    member.handle(.foreign(session), at: now)
    member.handle(.tutti(session), at: now)
    member.sound(.noteOn(one, key: 60, velocity: 100), on: session, at: now)
    member.sound(.controlChange(one, controller: 7, value: 90), on: session, at: now)
    #expect(sounded(by: member).isEmpty)
  }

  /// Whom a default keeps out is let in by name or identity when it is known.
  @Test func whatIsClosedByDefaultIsClosedToTheUnknown() throws {
    let member = acquainted()
    for rule in ["notes=closed", "b:notes=open"] { try member.ensemble.gates.apply(rule) }
    let note = Message.noteOn(one, key: 60, velocity: 100)
    member.sound(note, on: session, at: now)
    #expect(sounded(by: member).isEmpty)
    member.foreign(session, at: now)
    member.sound(note, on: session, at: now)
    #expect(sounded(by: member) == [note])
  }

  /// A total on channel 1 is a volume where it comes from another instrument, and nothing that sounds from a Tutti peer.
  @Test(arguments: [true, false]) func whatMayBeActivityWaits(isTutti: Bool) {
    let member = acquainted()
    for value: UInt7 in [90, 40] {
      member.sound(.controlChange(one, controller: 7, value: value), on: session, at: now)
    }
    member.sound(.controlChange(one, controller: 11, value: 70), on: session, at: now)
    member.sound(.controlChange(one, controller: 1, value: 1), on: session, at: now)
    #expect(sounded(by: member) == [.controlChange(one, controller: 1, value: 1)])
    if isTutti { member.recognised(session, Identity(2), at: now) } else { member.foreign(session, at: now) }
    let told: [Message] = [
      .controlChange(one, controller: 7, value: 40), .controlChange(one, controller: 11, value: 70),
    ]
    #expect(sounded(by: member) == (isTutti ? [] : told))
  }
}
