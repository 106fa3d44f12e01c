import MIDI
import MusicalTime
import Rhythm

// The instrument of the local player.
extension Peer {
  /// Plays the notes of the player with `instrument` from now on. If `instrument` is nil, the notes are played unchanged.
  func choose(_ instrument: Instrument?, named name: String) {
    instrumentName = instrument == nil ? nil : name
    instrumentKeys = instrument?.keys ?? []
    instrumentSettings.number &+= 1
    instrumentSettings.table = instrument.map { InstrumentTable($0) }
    publishInstrument()
    log.notice(instrument == nil ? "instrument: none; your notes are played unchanged" : "instrument \(name): selected")
  }

  /// Passes the settings of the instrument to the network thread if the rhythm, the activity or a delay has changed. The network thread
  /// plays the instrument, the phrase and the notes of other players.
  func updateInstrument() {
    // The notes of other players depend only on the schedule and the sound lead.
    var hasChanged =
      instrumentSettings.schedule != ensemble.schedule || instrumentSettings.soundLead != ensemble.soundLead
    if instrumentSettings.table != nil || instrumentSettings.phrase != nil {
      hasChanged =
        hasChanged || instrumentSettings.activity != ensemble.activity || instrumentSettings.noteDelay != noteDelay
    }
    if hasChanged { publishInstrument() }
  }

  /// Lets the instrument follow the chords of the rhythm `table`, from the bar at which this rhythm begins.
  func followChords(of table: StepTable) {
    instrumentSettings.chords = table.chords
    instrumentSettings.chordsNumber &+= 1
    if instrumentSettings.table != nil { publishInstrument() }
  }

  /// Plays one action of medium force on the instrument (key `x`). Without an instrument, logs how to choose one.
  func strike() {
    guard instrumentSettings.table != nil else {
      return log.notice("instrument: none; choose one with the key i or the command `instrument NAME`")
    }
    // Key 60, middle C, matters only to an instrument whose pitch follows the played key.
    core.play(.noteOn(localChannel, key: 60, velocity: 88))
  }

  /// Changes the control `tilt forward` (controller 1) by `change`.
  func tilt(by change: Int) {
    tilt = min(max(tilt + change, 0), 127)
    core.play(.controlChange(localChannel, controller: 1, value: UInt7(clamping: tilt)))
  }

  /// The value for ``InstrumentSettings/noteDelay``. Zero if there is neither an instrument nor a phrase, because only their notes are sent
  /// in advance.
  private var noteDelay: Nanoseconds {
    guard instrumentSettings.table != nil || instrumentSettings.phrase != nil else { return .zero }
    return ensemble.noteDelay + ensemble.soundLead
  }

  /// Passes the settings of the instrument to the network thread.
  func publishInstrument() {
    instrumentSettings.schedule = ensemble.schedule
    instrumentSettings.activity = ensemble.activity
    (instrumentSettings.soundLead, instrumentSettings.noteDelay) = (ensemble.soundLead, noteDelay)
    // 5 ms are a margin for late wake-ups of the network thread. The upper limit is 10 ms less than the shortest lead time of a master
    // (`leadWithoutPages`), so that no event is sent before a change that affects the event is known. The lower limit is what the audio
    // output of the local peer needs.
    let lead = min(noteDelay + .milliseconds(5), ensemble.leadWithoutPages - .milliseconds(10))
    instrumentSettings.lead = max(lead, ensemble.soundLead)
    networkRings.instrument.publish(instrumentSettings)
    networkRings.signal.signal()
  }
}
