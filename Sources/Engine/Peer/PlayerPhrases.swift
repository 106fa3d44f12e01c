import Ensemble
import MusicalTime
import PeerProtocol
import Rhythm

/// The phrases that the local player has recorded and received, and the state of their repetition. A phrase is a melody on the steps of the
/// rhythm.
struct PlayerPhrases {
  /// The phrase that the player has recorded last.
  private var recorded: Phrase?
  /// The phrase that was received last, and the name of the peer that sent the phrase.
  private var received: (phrase: Phrase, sender: String)?
  /// The number of the variation that was played last: the phrase moved within a scale, thinned and perhaps reversed. 0: the phrase
  /// itself.
  private var variation: UInt32 = 0
  /// Whether a phrase is repeated.
  var isPlaying = false

  /// The state for the observer of the peer.
  var status: PhraseStatus {
    PhraseStatus(
      recorded: recorded?.notes.count, received: received?.phrase.notes.count, sender: received?.sender,
      variation: isPlaying ? variation : nil)
  }

  /// Begins to record the notes of the player at the next bar, for a number of bars.
  func record(bars: Int, with core: PeerCore, at now: Instant) -> Notice {
    do throws(PhraseRecording.Failure) {
      try core.recordPhrase(bars: bars, by: core.identity, at: now)
      return Notice("phrase: the recording begins at the next bar and lasts \(bars) \(bars == 1 ? "bar" : "bars")")
    } catch {
      return switch error {
      case .noRhythm: Notice("phrase: not recorded, because no rhythm plays; start one")
      case .tooLong(let maximum): Notice("phrase: \(bars) bars are not possible; give 1 to \(maximum)")
      }
    }
  }

  /// Keeps the phrase of a recording that has ended.
  mutating func take(_ result: PhraseRecording.Result) -> Notice {
    switch result {
    case .phrase(let phrase, let omitted):
      recorded = phrase
      let loss = omitted > 0 ? " (\(omitted) \(omitted == 1 ? "note" : "notes") did not fit)" : ""
      return Notice("phrase: recorded \(phrase.summary)\(loss); send it with `phrase send PLAYER`")
    case .empty: return Notice("phrase: no notes were played; record it again")
    case .interrupted: return Notice("phrase: not recorded, because the rhythm ended or changed; record it again")
    }
  }

  /// Sends the recorded phrase of the player `sender` to the player `receiver`, who was called `name`.
  func send(to receiver: Identity, called name: String, from sender: Identity, with core: PeerCore) -> Notice {
    guard let recorded else { return Notice("phrase: none is recorded; record one with `phrase record`") }
    guard core.send(recorded, from: sender, to: receiver) else {
      return Notice("player \(name): not connected; wait until the command `peers` lists it")
    }
    return Notice("phrase: sent to \(name)")
  }

  /// Keeps a phrase that the player `sender` has sent. The phrase does not play before the local player enters a command.
  mutating func receive(_ phrase: Phrase, from sender: String) -> Notice {
    (received, variation) = ((phrase, sender), 0)
    let remedy = "repeat it with `phrase play`, vary it with `phrase vary`"
    return Notice("\(sender) sends a phrase of \(phrase.summary); \(remedy)", .notice, .phrases, of: sender)
  }

  /// Returns the phrase to repeat from now on, and its name for messages: the received phrase if there is one, otherwise the recorded one.
  /// Nil if there is none.
  ///
  /// - Parameters:
  ///   - isVaried: whether the next variation of the phrase is repeated.
  ///   - scale: the scale of the variation.
  mutating func next(isVaried: Bool, scale: [UInt8]) -> (phrase: Phrase, name: String)? {
    guard let phrase = received?.phrase ?? recorded else { return nil }
    let name = received.map { "phrase of \($0.sender)" } ?? "your phrase"
    (variation, isPlaying) = (isVaried ? variation &+ 1 : 0, true)
    if variation == 0 { return (phrase, name) }
    return (phrase.varied(seed: variation, scale: scale), "\(name), variation \(variation)")
  }
}

/// The phrases of a peer, for another thread that shows them.
public struct PhraseStatus: Hashable, Sendable, Encodable {
  /// The number of notes of the phrase that the local player has recorded last; nil if there is none.
  public var recorded: Int?
  /// The number of notes of the phrase that was received last; nil if there is none.
  public var received: Int?
  /// The name of the player who has sent the received phrase.
  public var sender: String?
  /// The number of the variation that is repeated (``PhraseCommand/vary``); 0: the phrase itself. Nil if no phrase is repeated.
  public var variation: UInt32?
}

extension Phrase {
  /// The size of the phrase, for messages.
  fileprivate var summary: String {
    "\(notes.count) \(notes.count == 1 ? "note" : "notes") in \(stepCount) steps"
  }
}
