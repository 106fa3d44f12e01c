import MIDI
import MusicalTime
import Rhythm

// The instrument of the local player.
extension Peer {
  /// Plays the notes of the player with `instrument` from now on; nil: as they are played.
  func choose(_ instrument: Instrument?, named name: String) {
    instrumentName = instrument == nil ? nil : name
    instrumentKeys = instrument?.keys ?? []
    instrumentSettings.number &+= 1
    instrumentSettings.table = instrument.map { InstrumentTable($0) }
    publishInstrument()
    log.notice(instrument == nil ? "instrument: none; your notes are played unchanged" : "instrument \(name): selected")
  }

  /// Passes the rhythm and the activity to the network thread, which plays the instrument, the phrase and the notes of other players,
  /// if they have changed.
  func updateInstrument() {
    var hasChanged =
      instrumentSettings.schedule != ensemble.schedule || instrumentSettings.soundLead != ensemble.soundLead
    if instrumentSettings.table != nil || instrumentSettings.phrase != nil {
      hasChanged =
        hasChanged || instrumentSettings.activity != ensemble.activity || instrumentSettings.noteDelay != noteDelay
    }
    if hasChanged { publishInstrument() }
  }

  /// Lets the instrument follow the chords of a rhythm, from the bar on with which the rhythm begins.
  func followChords(of table: StepTable) {
    instrumentSettings.chords = table.chords
    instrumentSettings.chordsNumber &+= 1
    if instrumentSettings.table != nil { publishInstrument() }
  }

  /// Plays an action with a normal force. Without an instrument, informs the player.
  func strike() {
    guard instrumentSettings.table != nil else {
      return log.notice("instrument: none; choose one with the key i or the command `instrument NAME`")
    }
    core.play(.noteOn(localChannel, key: 60, velocity: 88))
  }

  /// Changes the control `tilt forward`.
  func tilt(by change: Int) {
    tilt = min(max(tilt + change, 0), 127)
    core.play(.controlChange(localChannel, controller: 1, value: UInt7(clamping: tilt)))
  }

  /// How long before its instant a note must be sent. Only the notes of an instrument and of a phrase have instants.
  private var noteDelay: Nanoseconds {
    guard instrumentSettings.table != nil || instrumentSettings.phrase != nil else { return .zero }
    return ensemble.noteDelay + ensemble.soundLead
  }

  /// Passes the settings of the instrument to the network thread.
  func publishInstrument() {
    instrumentSettings.schedule = ensemble.schedule
    instrumentSettings.activity = ensemble.activity
    (instrumentSettings.soundLead, instrumentSettings.noteDelay) = (ensemble.soundLead, noteDelay)
    // A margin for the wakings of the network thread. The limit is that of the ticks.
    let lead = min(noteDelay + .milliseconds(5), ensemble.lead - .milliseconds(10))
    instrumentSettings.lead = max(lead, ensemble.soundLead)
    networkRings.instrument.publish(instrumentSettings)
    networkRings.signal.signal()
  }
}
