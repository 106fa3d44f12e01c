import MusicalTime
import Playback
import Rhythm

/// The instrument of the local player, and the state of the rhythm that ``InstrumentDriver`` needs. The control thread passes the
/// settings to the network thread.
struct InstrumentSettings: Sendable, BitwiseCopyable {
  /// The number of the instrument, which changes with each choice; 0 before the first.
  var number: UInt32 = 0
  /// Nil if the messages of the player are played as they are.
  var table: InstrumentTable?
  /// Whether another player sets the pitches.
  var borrowsPitches = false
  /// The rhythm.
  var schedule = PlaybackSchedule.silence
  /// The activity of the player, 0...127.
  var activity: UInt8 = 0
  /// How long before its instant an event is passed to the sound. Shorter than the lead time, so that a change of the rhythm never
  /// affects an event that was passed.
  var lead = Nanoseconds.zero
}
