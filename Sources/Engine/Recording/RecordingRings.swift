import Audio
import Realtime

/// The rings through which the clock thread and the network thread pass events to the control thread for the MIDI recording. The
/// control thread empties the rings about ten times per second.
struct RecordingRings: Sendable, BitwiseCopyable {
  /// From the clock thread: the hits of the rhythm and their recalls (``SoundEvent/Kind/recall``), in the order in which the audio
  /// threads get them.
  let hits = SPSCRing<SoundEvent>(capacity: 8192)
  /// From the network thread: the messages of all players. A session may send 2000 messages per second.
  let messages = SPSCRing<SoundedMessage>(capacity: 16_384)

  /// The number of hits and messages that were dropped because a ring was full.
  var dropped: Int64 { Int64(hits.dropped + messages.dropped) }
}
