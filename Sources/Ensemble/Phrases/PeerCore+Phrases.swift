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

  /// Begins to record the notes of a player of the local peer at the next bar, for a number of bars.
  public func recordPhrase(bars: Int, by player: Identity, at now: Instant) throws(PhraseRecording.Failure) {
    let schedule = ensemble.schedule
    guard schedule.run != 0, schedule.deadline(schedule.end) > now else { throw .noRhythm }
    let start = schedule.grid.line(notBefore: max(schedule.tick(at: now) + 1, schedule.start))
    let stepsPerBar = Int(schedule.grid[start].meter.stepsPerBar)
    // The limit of 1000 bars prevents an overflow of the product. No phrase can have so many bars.
    guard bars > 0, let recorder = PhraseRecorder(from: start.step, stepCount: min(bars, 1000) * stepsPerBar) else {
      throw .tooLong(maximum: Phrase.maximumSteps / stepsPerBar)
    }
    phraseRecordings[player] = PhraseRecording(recorder: recorder, run: schedule.run)
  }

  /// Returns the results of the recordings that have ended since the last call, by player.
  public func takeRecordedPhrases(at now: Instant) -> [(player: Identity, result: PhraseRecording.Result)] {
    guard !phraseRecordings.isEmpty else { return [] }
    return phraseRecordings.keys.sorted().compactMap { player in
      takeRecordedPhrase(of: player, at: now).map { (player, $0) }
    }
  }

  private func takeRecordedPhrase(of player: Identity, at now: Instant) -> PhraseRecording.Result? {
    guard var recording = phraseRecordings[player] else { return nil }
    let (schedule, end) = (ensemble.schedule, recording.recorder.end)
    let continues = schedule.run != 0 && schedule.continuesRun(from: recording.run)
    guard continues, schedule.end >= end else {
      phraseRecordings[player] = nil
      return .interrupted
    }
    guard now >= schedule.deadline(end) + PhraseRecording.patience else { return nil }
    phraseRecordings[player] = nil
    return recording.recorder.phrase().map { .phrase($0, omitted: recording.recorder.omitted) } ?? .empty
  }

  /// Adds a note of a player, or of the local player's instrument, to the recording of the player. The notes of a phrase that is repeated are
  /// not recorded.
  func record(_ message: Message, by player: Identity, from origin: MessageOrigin, at now: Instant) {
    guard phraseRecordings[player] != nil else { return }
    let instant: Instant
    switch origin {
    case .player, .page: instant = now
    case .instrument(let due): instant = due
    case .phrase: return
    }
    phraseRecordings[player]!.recorder.record(message, at: ensemble.schedule.tick(at: instant))
  }

  /// Sends a phrase of a player of the local peer to another player.
  ///
  /// - Returns: false if the receiver is not in session.
  public func send(_ phrase: Phrase, from sender: Identity, to receiver: Identity) -> Bool {
    guard let peer = ensemble.peer(of: receiver) else { return false }
    if peer == identity {
      emit(.event(.phraseReceived(phrase, from: sender, to: receiver)))
      return true
    }
    let message = PhraseMessage(phrase, from: sender, to: receiver)
    guard let stream = roster.stream(of: peer), let data = SystemExclusiveData(message.systemExclusive) else {
      return false
    }
    emit(.stream(.exclusive(data, to: stream, isJournalled: true)))
    return true
  }

  /// Handles a phrase of the peer of a session. The phrase is dropped if the gate for notes is closed, if the receiver is not a player of the
  /// local peer, or if another phrase of the same player arrived less than ``phraseInterval`` ago. A sender that is no player of the peer
  /// counts as its local player.
  func received(_ message: PhraseMessage, on session: SessionID, at now: Instant) {
    guard let slot = roster.slot(of: session), let peer = ensemble.roster[slot].identity, isOpen(.notes, to: slot),
      ensemble.localPlayer(message.receiver) != nil, let phrase = Phrase(message)
    else { return }
    let sender = ensemble.peer(of: message.sender) == peer ? message.sender : peer
    var senders = ensemble.roster[slot].session!.phraseSenders.filter { now - $0.value < Self.phraseInterval }
    guard senders[sender] == nil, senders.count < PlayerList.maximumCount else { return }
    senders[sender] = now
    ensemble.roster[slot].session!.phraseSenders = senders
    emit(.event(.phraseReceived(phrase, from: sender, to: message.receiver)))
  }
}
