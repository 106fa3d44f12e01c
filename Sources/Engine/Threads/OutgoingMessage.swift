import MIDI
import MusicalTime
import RTPMIDI

/// A note, a controller or its like on its way through this peer. The clock thread hands it on when no tick is near: it
/// is the one writer of every stream, and of the rings to the sound.
enum OutgoingMessage: Sendable, BitwiseCopyable {
  enum Receiver: Sendable, BitwiseCopyable {
    case session(SessionID)
    /// All Tutti peers.
    case tutti
    /// All others in session.
    case foreign
  }

  /// To sessions; it counts at an instant, nil: when it is sent.
  case sessions(Message, at: Instant?, to: Receiver)
  /// To the programs at the notes port.
  case port(Message)
  /// To this peer's own sound, at once: through the card, and into the recording.
  case sound(Message)
}
