import MIDI

/// A note, a controller or its like on its way through this peer. The clock thread hands it on when no tick is near: it
/// is the one writer of every stream, and of the rings to the sound.
enum OutgoingMessage: Sendable, BitwiseCopyable {
  /// To everybody in session.
  case sessions(Message)
  /// To the programs at the notes port.
  case port(Message)
  /// To this peer's own sound, at once: through the card, and into the recording.
  case sound(Message)
}
