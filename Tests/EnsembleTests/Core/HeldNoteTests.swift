import MIDI
import MusicalTime
import RTPMIDI
import Receiving
import Testing
import _TestSupport

@testable import Ensemble

/// Notes that a standard device holds while it is silent.
@Suite struct HeldNoteTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let note = Message.noteOn(Channel(3)!, key: 60, velocity: 100)

  /// A device invites the core, plays a note after ten seconds and sends nothing more by itself. It answers clock packets until it dies.
  ///
  /// - Parameters:
  ///   - death: how long after the note the device dies; nil: it lives.
  ///   - isReleased: whether the note ends half a second after its beginning.
  /// - Returns: how long after the note its end was commanded and reported; nil if it was not, in forty seconds.
  private func end(
    death: Nanoseconds?, isReleased: Bool = false
  ) throws -> (command: Nanoseconds?, report: Nanoseconds?) {
    var sessions = CoreSessions(identity: 1)
    sessions.remotes = [CoreSessions.Remote(deviceOnHost: 2)]
    try sessions.invite(sessions.remotes[0], at: start)
    let played = start + .seconds(10)
    var (command, report): (Nanoseconds?, Nanoseconds?)
    var now = start
    func play(_ message: Message) {
      guard let session = sessions.core.roster.sessions.first?.id else {
        Issue.record("no session")
        return
      }
      sessions.core.receive(
        .message(session, message, stamp: now, arrival: now, isRecovered: false, isAdmitted: true),
        systemExclusive: { [] }, now: now)
    }
    while now < played + .seconds(40) {
      if now == played { play(note) }
      if isReleased, now == played + .milliseconds(500) { play(.noteOff(Channel(3)!, key: 60, velocity: 0)) }
      if let death, now == played + death { sessions.remotes[0].isStopped = true }
      for output in sessions.exchange(at: now) {
        switch output {
        case .receiving(.endNotes): command = command ?? now - played
        case .event(.heldNotesEnded): report = report ?? now - played
        default: break
        }
      }
      now = now + .milliseconds(100)
    }
    return (command, report)
  }

  @Test(arguments: [Nanoseconds.milliseconds(100), .seconds(7)]) func notesOfADeadDeviceEndWithinFiveSeconds(
    death: Nanoseconds
  ) throws {
    let (command, report) = try end(death: death)
    let delay = try #require(command) - death
    #expect(delay > .seconds(2) && delay <= .seconds(5) && report == command)
  }

  /// An external clock that is switched off, and on again without BY, is in session again within ten seconds.
  @Test(arguments: [3, 8, 20]) func clockIsInvitedAgainAfterAReboot(off: Int64) throws {
    var sessions = CoreSessions(identity: 1)
    sessions.remotes = [CoreSessions.Remote(deviceOnHost: 2)]
    let control = sessions.remotes[0].control
    sessions.core.clocks.add("clock", at: control)
    _ = try sessions.core.endpoint.connect(to: control, data: SocketAddress(host: 2, port: 5005), at: start)
    var now = start
    var first: SessionID?
    // Ticks every 20 ms for eight seconds.
    while now < start + .seconds(8) {
      _ = sessions.exchange(at: now)
      if let session = sessions.core.roster.sessions.first?.id, now > start + .seconds(1) {
        if first == nil {
          sessions.core.handle(.message(session, .start, at: now, arrival: now, isRecovered: false), at: now)
        }
        first = session
        sessions.core.handle(.message(session, .clock, at: now, arrival: now, isRecovered: false), at: now)
      }
      now = now + .milliseconds(20)
    }
    sessions.remotes[0].isStopped = true
    let boot = now + .seconds(off)
    while now < boot + .seconds(10), sessions.core.roster.sessions.first?.id == first || now < boot {
      if now == boot { sessions.remotes = [CoreSessions.Remote(deviceOnHost: 2)] }
      _ = sessions.exchange(at: now)
      now = now + .milliseconds(20)
    }
    #expect(first != nil && now < boot + .seconds(10))
    #expect(sessions.core.roster.sessions.first.map { $0.id != first } == true)
  }

  @Test func notesOfALivingDeviceSoundOn() throws { #expect(try end(death: nil) == (nil, nil)) }

  @Test func releasedNotesNeedNoEnd() throws { #expect(try end(death: .seconds(2), isReleased: true) == (nil, nil)) }
}
