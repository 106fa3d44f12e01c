import MIDI
import MusicalTime
import RTPMIDI

/// A message that the network thread has passed to the audio threads, for the MIDI recording.
struct SoundedMessage: Sendable, BitwiseCopyable {
  /// The message, on the channel on which it sounds.
  let message: Message
  /// The session of the remote player; nil for the local player.
  let session: SessionID?
  /// When the network thread passed the message to the sound, or, if ``isTimed`` is true, when the message sounds.
  let instant: Instant
  /// Whether the message has a planned instant, as notes of an instrument have. Otherwise it sounds as early as possible.
  let isTimed: Bool

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ message: Message, from session: SessionID?, at instant: Instant, isTimed: Bool = false) {
    self.message = message
    self.session = session
    (self.instant, self.isTimed) = (instant, isTimed)
  }
}
