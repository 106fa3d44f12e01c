import MIDI
import MusicalTime
import RTPMIDI

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
    self.message = message
    self.session = session
    (self.instant, self.isTimed) = (instant, isTimed)
  }
}
