public import MIDI
import MusicalTime

extension ExternalClock.Message {
  /// Converts a MIDI message. Nil for a message that is not part of MIDI clock.
  public init?(_ message: Message) {
    switch message {
    case .clock: self = .clock
    case .start: self = .start
    case .continue: self = .continue
    case .stop: self = .stop
    case .songPosition(let position): self = .songPosition(Step(Int64(position.value)))
    default: return nil
    }
  }
}
