import MIDI

/// A note, a controller or its like on its way through this peer. The clock thread sends it, being the one writer of every
/// stream, when no tick is near.
enum OutgoingMessage: Sendable, BitwiseCopyable {
  /// To everybody in session.
  case sessions(Message)
  /// To the programs at the notes port.
  case port(Message)
}
