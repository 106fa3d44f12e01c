import Ensemble
import Measurement
import MusicalTime
import PeerProtocol
import RTPMIDI
import Rhythm

/// The records of a peer: its trace and its MIDI recording.
struct Records {
  var trace: PeerTrace
  /// Nil without a MIDI recording.
  private(set) var recording: PeerRecording?

  /// The files of the peer that could not be written.
  let failures: FileFailures

  init(_ trace: PeerTrace, _ recording: PeerRecording?, failures: FileFailures) {
    (self.trace, self.recording, self.failures) = (trace, recording, failures)
  }

  /// Passes the ticks that the clock thread has played since the last call on to the tick account, the MIDI recording and the trace.
  /// Appends the hits that have sounded since then, and the energies of the players that have changed, to the trace. If the trace cannot be written, the rhythm continues without it.
  ///
  /// - Parameter layers: the layers of the rhythm that plays from a tick on.
  mutating func addTicks(
    _ rings: ClockRings, in core: PeerCore, on sound: SoundOutputs, layers: (all: [Layer], from: Tick),
    at now: Instant
  ) {
    if core.ensemble.role != .idle { trace.masterClock = core.ensemble.masterClock(at: now) }
    let schedule = core.ensemble.schedule
    do throws(TraceError) {
      while let record = rings.ticks.pop() {
        core.account.played(
          record.tick, run: schedule.run, start: schedule.start, isOwn: core.ensemble.role == .master)
        recording?.append(record)
        try trace.append(record, layers: layers)
      }
      while let hit = rings.sound.first.sounded?.pop() {
        try trace.writer?.append(
          TraceHit(due: hit.due, step: hit.step, scheduled: hit.scheduled, firstFrame: hit.firstFrame))
      }
      try trace.append(core.ensemble.playerStatuses(), at: now)
      try trace.writer?.flush()
    } catch {
      failures.report(.trace, "\(error)")
    }
  }

  /// Adds an action of the player to the trace. If the trace cannot be written, the rhythm continues.
  mutating func add(_ action: TraceAction) {
    do throws(TraceError) { try trace.writer?.append(action) } catch { failures.report(.trace, "\(error)") }
  }

  /// Adds the movement of a player of this peer to the trace.
  mutating func addMotion(_ strength: UInt8, of player: Identity, at now: Instant) {
    do throws(TraceError) { try trace.append(motion: strength, of: player, at: now) } catch {
      failures.report(.trace, "\(error)")
    }
  }

  /// Begins the tracks of a score in the MIDI recording, if there is one: see ``PeerRecording/beginScore(parts:)``.
  mutating func beginScore(parts names: [String]) { recording?.beginScore(parts: names) }

  /// Adds a System Exclusive of a device to the MIDI recording, if there is one.
  mutating func append(exclusive octets: [UInt8], from session: SessionID, at instant: Instant) {
    recording?.append(exclusive: octets, from: session, at: instant)
  }

  /// If this is due, passes the ticks, hits and messages since the last call on to the MIDI recording.
  /// ``addTicks(_:in:on:at:)`` must have been called before with the same `now`.
  ///
  /// - Parameter isLast: whether the sound has ended. The call is then always due.
  mutating func addSound(
    in core: PeerCore, on sound: SoundOutputs, at now: Instant, isLast: Bool = false
  ) {
    guard isLast || recording?.isDue(at: now) == true else { return }
    recording?.pass(
      at: now, soundingAt: { sound.sounding(at: $0) }, reference: { core.roster[$0]?.reference },
      players: core.ensemble.playerStatuses())
  }
}
