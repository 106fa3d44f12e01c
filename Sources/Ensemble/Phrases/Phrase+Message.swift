import PeerProtocol
import Rhythm

extension PhraseMessage {
  /// The message that contains `phrase`.
  init(_ phrase: Phrase, from sender: Identity, to receiver: Identity) {
    self.init(
      from: sender, to: receiver, stepCount: UInt8(phrase.stepCount),
      notes: phrase.notes.map { Note(step: $0.step, key: $0.key, velocity: $0.velocity, length: $0.length) })
  }
}

extension Phrase {
  /// The phrase in a message of a remote peer; nil if it cannot be played.
  init?(_ message: PhraseMessage) {
    self.init(
      stepCount: Int(message.stepCount),
      notes: message.notes.map { Note(step: $0.step, key: $0.key, velocity: $0.velocity, length: $0.length) })
  }
}
