import Ensemble
import MusicalTime
import PeerProtocol
import Rhythm

// Phrases: the commands that record them, send them to another player, repeat and vary them; and the phrases that were recorded or received.
extension Peer {
  /// Executes a command that concerns a phrase.
  func execute(_ command: PhraseCommand, at now: Instant) {
    switch command {
    case .record(let bars): record(bars: bars, at: now)
    case .send(let name): send(to: name)
    case .play: play(variation: 0)
    case .vary: play(variation: phrases.variation &+ 1)
    case .stop:
      guard phrases.isPlaying else { return log.notice("phrase: none is playing") }
      phrases.isPlaying = false
      repeatPhrase(nil)
      log.notice("phrase: stopped")
    }
  }

  private func record(bars: Int, at now: Instant) {
    do throws(PhraseRecording.Failure) {
      try core.recordPhrase(bars: bars, at: now)
      log.notice("phrase: the recording begins at the next bar and lasts \(bars) \(bars == 1 ? "bar" : "bars")")
    } catch {
      switch error {
      case .noRhythm: log.notice("phrase: not recorded, because no rhythm plays; start one")
      case .tooLong(let maximum): log.notice("phrase: \(bars) bars are not possible; give 1 to \(maximum)")
      }
    }
  }

  /// If the recording of a phrase has ended since the last call, takes the phrase and informs the player.
  func handlePhrases(at now: Instant) {
    switch core.takeRecordedPhrase(at: now) {
    case nil: break
    case .phrase(let phrase, let omitted):
      phrases.recorded = phrase
      let loss = omitted > 0 ? " (\(omitted) \(omitted == 1 ? "note" : "notes") did not fit)" : ""
      log.notice("phrase: recorded \(phrase.summary)\(loss); send it with `phrase send PEER`")
    case .empty: log.notice("phrase: no notes were played; record it again")
    case .interrupted: log.notice("phrase: not recorded, because the rhythm ended or changed; record it again")
    }
  }

  private func send(to name: String) {
    guard let peer = peer(called: name) else { return }
    guard let phrase = phrases.recorded else {
      return log.notice("phrase: none is recorded; record one with `phrase record`")
    }
    guard core.send(phrase, to: peer) else {
      return log.notice("peer \(name): not connected; wait until the command `peers` lists it")
    }
    log.notice("phrase: sent to \(name)")
  }

  /// Keeps a phrase that a player has sent. The phrase does not play before the local player enters a command.
  func receive(_ phrase: Phrase, from sender: Identity, at now: Instant) {
    let name = name(of: sender)
    phrases.received = (phrase, name)
    phrases.variation = 0
    let remedy = "repeat it with `phrase play`, vary it with `phrase vary`"
    write("\(name) sends a phrase of \(phrase.summary); \(remedy)", .notice, .phrases, of: name, at: now)
  }

  /// Repeats a variation of the chosen phrase. Variation 0 is the phrase itself.
  private func play(variation: UInt32) {
    guard let (phrase, name) = phrases.chosen else {
      return log.notice("phrase: none; record one with `phrase record`, or let a player send one")
    }
    (phrases.variation, phrases.isPlaying) = (variation, true)
    repeatPhrase(variation == 0 ? phrase : phrase.varied(seed: variation, scale: instrumentKeys))
    let what = variation == 0 ? name : "\(name), variation \(variation)"
    let beginning = ensemble.role == .idle ? " as soon as a rhythm plays" : ""
    log.notice("\(what): repeats\(beginning.isEmpty ? " from now on" : beginning); end it with `phrase stop`")
  }

  /// Lets the network thread repeat `phrase`. If `phrase` is nil, the repetition ends.
  private func repeatPhrase(_ phrase: Phrase?) {
    instrumentSettings.phraseNumber &+= 1
    instrumentSettings.phrase = phrase.map { PhraseTable($0) }
    publishInstrument()
  }
}

extension Phrase {
  /// The size of the phrase, for messages.
  fileprivate var summary: String {
    "\(notes.count) \(notes.count == 1 ? "note" : "notes") in \(stepCount) steps"
  }
}
