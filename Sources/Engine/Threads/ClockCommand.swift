import MIDI
import MusicalTime
import Sending
import Transports

/// A command from the control thread to the clock thread.
enum ClockCommand: Sendable, BitwiseCopyable {
  /// A command to the ``StreamSender``, which writes the RTP streams.
  case stream(StreamCommand)
  /// Sets how long before its due time a hit is passed to the sound.
  case soundLead(Nanoseconds)
  /// Sets the loudness of the rhythm at the local peer, in percent, 0...100.
  case rhythmLevel(UInt8)
  /// Sounds a click of a calibration at this instant.
  case click(Instant)
  /// A local program has subscribed to the ALSA clock port. Its messages are later by the offset: zero, or one of
  /// ``ClockSettings/offsets``.
  case subscribed(SequencerAddress, offset: Nanoseconds = .zero)
  /// A local program has ended its subscription to the ALSA clock port.
  case unsubscribed(SequencerAddress)
  /// Sets the tempo of the clock while no rhythm plays (``StreamSender/setIdleTempo(_:at:)``).
  case idleTempo(Tempo, at: Instant)
  /// Ends the clock thread, after it has sent Stop to the receivers that are playing.
  case quit
}

/// A channel message that the control thread passes to the clock thread. The clock thread, the only thread that writes RTP streams, sends
/// the message when no deadline is near.
enum OutgoingMessage: Sendable, BitwiseCopyable {
  /// To RTP streams.
  case stream(StreamMessage)
  /// To the subscribers of the ALSA notes port.
  case port(Message)
  /// The next System Exclusive of ``ClockRings/exclusives``, to the subscribers of the ALSA notes port.
  case portExclusive
}

/// A System Exclusive for the ALSA notes port, with F0 and F7. A trivial value that fits into a ring.
struct OutgoingExclusive: Sendable, BitwiseCopyable {
  private(set) var octets = InlineArray<1062, UInt8>(repeating: 0)
  private(set) var count = 0

  /// - Parameter data: the octets between F0 and F7. The result is nil if there are more than 1060.
  init?(_ data: [UInt8]) {
    guard data.count + 2 <= octets.count else { return nil }
    for octet in [0xF0] + data + [0xF7] {
      octets[count] = octet
      count += 1
    }
  }
}
