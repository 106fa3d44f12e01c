import MusicalTime
import Playback
import Rhythm

/// The settings that the control thread passes to the network thread for ``InstrumentDriver`` and ``PhraseDriver``: the instrument of
/// the local player, the phrase that is repeated, and the state of the rhythm. The rhythm also determines when notes of other
/// players sound.
struct InstrumentSettings: Sendable, BitwiseCopyable {
  /// A number that changes whenever the player chooses an instrument; 0 before the first choice.
  var number: UInt32 = 0
  /// The instrument. Nil if the messages of the player are played unchanged.
  var table: InstrumentTable?
  /// A number that changes whenever the local player lets another player set the pitches; 0 if no other player sets them.
  var pitchSource: UInt32 = 0
  /// A number that changes whenever the player repeats another phrase or ends the repetition; 0 before the first change.
  var phraseNumber: UInt32 = 0
  /// The phrase that is repeated; nil if there is none.
  var phrase: PhraseTable?
  /// The phrases that pages repeat.
  var pagePhrases = InlineArray<8, PagePhrase>(repeating: PagePhrase())
  /// The adopted devices.
  var devices = InlineArray<4, AdoptedDevice>(repeating: AdoptedDevice())
  /// The rhythm.
  var schedule = PlaybackSchedule.silence
  /// The chords of the rhythm that plays or that was chosen last. After a change of the rhythm during playback, the new chords apply from
  /// the next bar of the new rhythm on. Its bars are counted from tick 0.
  var chords = ChordProgression()
  /// A number that changes whenever ``chords`` changes.
  var chordsNumber: UInt32 = 0
  /// The activity of the local player, 0...127, which determines how many notes a figure instrument plays.
  var activity: UInt8 = 0
  /// How long before its instant a message of another peer is passed to the sound.
  var soundLead = Nanoseconds.zero
  /// How long before its instant an event of the instrument or the phrase is passed to the sound and sent. Changes of the rhythm are
  /// announced longer in advance (``PeerConfiguration/lead``), so they affect no event that was already passed to the sound.
  var lead = Nanoseconds.zero
  /// How long before its instant a note must be sent, so that it sounds in time at the other peers. This is the delay of the network plus
  /// ``soundLead``.
  var noteDelay = Nanoseconds.zero
}
