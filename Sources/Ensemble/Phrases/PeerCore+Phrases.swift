import MIDI
public import MusicalTime
public import PeerProtocol
import RTPMIDI
import Receiving
public import Rhythm
import Sending

// Phrases, which the local player records and sends to another player. A phrase is a melody on the steps of the rhythm.
extension PeerCore {
  /// The shortest time between two accepted phrases of one peer. Phrases that arrive earlier are dropped.
  private static var phraseInterval: Nanoseconds { .seconds(1) }

  /// Begins to record the notes of the player at the next bar, for a number of bars.
  public func recordPhrase(bars: Int, at now: Instant) throws(PhraseRecording.Failure) {
    let schedule = ensemble.schedule
    guard schedule.run != 0, schedule.deadline(schedule.end) > now else { throw .noRhythm }
    let start = schedule.grid.line(notBefore: max(schedule.tick(at: now) + 1, schedule.start))
    let stepsPerBar = Int(schedule.grid[start].meter.stepsPerBar)
    // The limit of 1000 bars prevents an overflow of the product. No phrase can have so many bars.
    guard bars > 0, let recorder = PhraseRecorder(from: start.step, stepCount: min(bars, 1000) * stepsPerBar) else {
      throw .tooLong(maximum: Phrase.maximumSteps / stepsPerBar)
    }
    phraseRecording = PhraseRecording(recorder: recorder, run: schedule.run)
  }

  /// Returns the result of the recording if it has ended since the last call.
  public func takeRecordedPhrase(at now: Instant) -> PhraseRecording.Result? {
    guard var recording = phraseRecording else { return nil }
    let (schedule, end) = (ensemble.schedule, recording.recorder.end)
    let continues = schedule.run != 0 && schedule.continuesRun(from: recording.run)
    guard continues, schedule.end >= end else {
      phraseRecording = nil
      return .interrupted
    }
    guard now >= schedule.deadline(end) + PhraseRecording.patience else { return nil }
    phraseRecording = nil
    return recording.recorder.phrase().map { .phrase($0, omitted: recording.recorder.omitted) } ?? .empty
  }

  /// Adds a note of the player or of the player's instrument to the recording. The notes of a phrase that is repeated are not recorded.
  func record(_ message: Message, from origin: MessageOrigin, at now: Instant) {
    guard phraseRecording != nil else { return }
    let instant: Instant
    switch origin {
    case .player: instant = now
    case .instrument(let due): instant = due
    case .phrase: return
    }
    phraseRecording!.recorder.record(message, at: ensemble.schedule.tick(at: instant))
  }

  /// Sends a phrase to a peer.
  ///
  /// - Returns: false if the peer is not in session.
  public func send(_ phrase: Phrase, to peer: Identity) -> Bool {
    guard let stream = roster.stream(of: peer), let data = SystemExclusiveData(PhraseMessage(phrase).systemExclusive)
    else { return false }
    emit(.stream(.exclusive(data, to: stream, isJournalled: true)))
    return true
  }

  /// Handles a phrase of the peer of a session. The phrase is dropped if the gate for notes is closed, or if another phrase of the
  /// same peer arrived less than ``phraseInterval`` ago.
  func received(_ message: PhraseMessage, on session: SessionID, at now: Instant) {
    guard let slot = roster.slot(of: session), let identity = ensemble.roster[slot].identity, isOpen(.notes, to: slot),
      now >= ensemble.roster[slot].session!.nextPhrase, let phrase = Phrase(message)
    else { return }
    ensemble.roster[slot].session!.nextPhrase = now + Self.phraseInterval
    emit(.event(.phraseReceived(phrase, from: identity)))
  }
}
