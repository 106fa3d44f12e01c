import MusicalTime
import Sending
import Transports

/// A command from the control thread to the clock thread.
enum ClockCommand: Sendable, BitwiseCopyable {
  /// A command to the writer of the RTP streams.
  case stream(StreamCommand)
  /// From now on, hits are passed to the sound this much ahead of their due times.
  case soundLead(Nanoseconds)
  /// From now on, the rhythm has this loudness at the local peer, in percent, 0...100.
  case rhythmLevel(UInt8)
  /// A click of a calibration sounds at this instant.
  case click(Instant)
  /// A local program has subscribed to the ALSA clock port.
  case subscribed(SequencerAddress)
  /// A local program has ended its subscription.
  case unsubscribed(SequencerAddress)
  /// The clock thread sends Stop to the receivers that are playing, then ends.
  case quit
}
