import MIDI
import Sending

/// A channel message that the control thread passes to the clock thread. The clock thread, the only thread that writes RTP streams, sends
/// the message when no deadline is near.
enum OutgoingMessage: Sendable, BitwiseCopyable {
  /// To RTP streams.
  case stream(StreamMessage)
  /// To the subscribers of the ALSA notes port.
  case port(Message)
}
