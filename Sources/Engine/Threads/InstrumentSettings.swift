import MusicalTime
import Playback
import Rhythm

/// The instrument of the local player, the phrase that is repeated, and the state of the rhythm that ``InstrumentDriver`` and
/// ``PhraseDriver`` need. The rhythm also determines when notes of other players sound. The control thread passes the settings to the
/// network thread.
struct InstrumentSettings: Sendable, BitwiseCopyable {
  /// The number of the instrument, which changes with each choice; 0 before the first.
  var number: UInt32 = 0
  /// Nil if the messages of the player are played as they are.
  var table: InstrumentTable?
  /// The number of the choice of the player who sets the pitches, which changes with each choice; 0 if no other player sets them.
  var pitchSource: UInt32 = 0
  /// The number of the phrase, which changes with each choice; 0 before the first.
  var phraseNumber: UInt32 = 0
  /// The phrase that is repeated; nil if there is none.
  var phrase: PhraseTable?
  /// The rhythm.
  var schedule = PlaybackSchedule.silence
  /// The chords of the rhythm, and their number, which changes with each rhythm. A rhythm that replaces another one begins with the
  /// next of its bars.
  var chords = ChordProgression()
  var chordsNumber: UInt32 = 0
  /// The activity of the player, 0...127.
  var activity: UInt8 = 0
  /// How long before its instant a message of another peer is passed to the sound.
  var soundLead = Nanoseconds.zero
  /// How long before its instant an event of the instrument or the phrase is passed to the sound and sent. Shorter than the lead time,
  /// so that a change of the rhythm affects no event that was passed to the sound.
  var lead = Nanoseconds.zero
  /// How long before its instant a note must be sent to sound in time at the other peers: the delay of the network and the sound
  /// lead.
  var noteDelay = Nanoseconds.zero
}
