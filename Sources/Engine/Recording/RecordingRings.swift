import Audio
import MIDI
import MusicalTime
import RTPMIDI
import Realtime

/// The rings through which the clock thread and the network thread pass events to the control thread for the MIDI recording. The
/// control thread empties the rings about ten times per second.
struct RecordingRings: Sendable, BitwiseCopyable {
  /// From the clock thread: the hits of the rhythm, the notes of scores, and their recalls (``SoundEvent/Kind/recall``), in the order in
  /// which the audio threads get them.
  let hits = SPSCRing<SoundEvent>(capacity: 8192)
  /// From the network thread: the messages of all players. A session may send 2000 messages per second.
  let messages = SPSCRing<SoundedMessage>(capacity: 16_384)

  /// The number of hits and messages that were dropped because a ring was full.
  var dropped: Int64 { Int64(hits.dropped + messages.dropped) }
}

/// A message of a player, for the MIDI recording. The network thread has also passed the message to the audio threads, unless the message
/// is a remote message that is only recorded (``Receiver/Output/record(_:from:)``).
struct SoundedMessage: Sendable, BitwiseCopyable {
  /// The message, on the channel on which it sounds.
  let message: Message
  /// The session of the remote player; nil for the local player.
  let session: SessionID?
  /// When the network thread processed the message, or, if ``isTimed`` is true, when the message takes effect.
  let instant: Instant
  /// Whether the message has a planned instant, as the notes of an instrument do. Otherwise it takes effect as early as possible.
  let isTimed: Bool

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ message: Message, from session: SessionID?, at instant: Instant, isTimed: Bool = false) {
    (self.message, self.session, self.instant, self.isTimed) = (message, session, instant, isTimed)
  }
}

/// An event of a MIDI recording, in local time.
enum RecordedEvent: Sendable {
  /// A tick that the clock thread has played. Ticks are in the order in which they were played.
  case tick(TickRecord)
  /// A hit of the rhythm, a note of a score, or a recall of them (``SoundEvent/Kind/recall``), in the order in which they were sent to
  /// the sound.
  case hit(SoundEvent)
  /// The names of the parts of the score that plays from now on, by the number of the part.
  case score(parts: [String])
  /// A message that a player has played and that takes effect at `instant`. `player` is the index of the player, from 0.
  case message(Message, player: Int, instant: Instant)
  /// A System Exclusive of a standard device, without F0 and F7.
  case exclusive([UInt8], player: Int, instant: Instant)
  /// The name of a remote player. The first name of a player precedes its messages.
  case name(String, player: Int)
}
