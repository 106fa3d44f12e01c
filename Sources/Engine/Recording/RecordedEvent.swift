import Audio
import MIDI
import MusicalTime

/// An event of a MIDI recording, in local time.
enum RecordedEvent: Sendable {
  /// A tick that the clock thread has played. Ticks are in the order in which they were played.
  case tick(TickRecord)
  /// A hit of the rhythm, or a recall of hits (``SoundEvent/Kind/recall``). Both are in the order in which they were sent to the
  /// sound.
  case hit(SoundEvent)
  /// A message that a player has played and that takes effect at `instant`. `player` is the index of the player, from 0.
  case message(Message, player: Int, instant: Instant)
  /// The name of a remote player. The first name of a player precedes its messages.
  case name(String, player: Int)
  /// The meter of the rhythm from the next bar of this meter on.
  case meter(Meter)
}
