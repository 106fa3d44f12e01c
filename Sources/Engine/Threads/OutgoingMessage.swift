import MIDI
import Sending

/// A channel message from the control thread to the clock thread, which passes it on when no deadline is near. The clock
/// thread is the only writer of every RTP stream.
enum OutgoingMessage: Sendable, BitwiseCopyable {
  /// To RTP streams.
  case stream(StreamMessage)
  /// To the subscribers of the ALSA notes port.
  case port(Message)
}
