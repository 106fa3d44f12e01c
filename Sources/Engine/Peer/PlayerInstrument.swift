import Ensemble
import MusicalTime
import PeerProtocol
import Rhythm

/// The instrument of the local player, and the phrases that the player has recorded and received. The network thread plays both by
/// ``settings(for:)``.
struct PlayerInstrument {
  /// The name of the instrument as the user has written it; nil if the notes of the player are played unchanged.
  private(set) var name: String?
  /// The notes of the scale of the instrument; empty without an instrument.
  private var keys: [UInt8] = []
  /// The instrument, the phrase and the state of the rhythm, as they were last passed to the network thread.
  private var settings = InstrumentSettings()
  /// The number of times that the local player has chosen the pitch source. Identifies the latest choice.
  private var pitchChoices: UInt32 = 0
  var phrases = PlayerPhrases()

  /// - Parameter chords: the chords of the rhythm.
  init(chords: ChordProgression) { settings.chords = chords }

  /// Whether the notes of the player are played by an instrument.
  var isChosen: Bool { settings.table != nil }

  /// Plays the notes of the player with `instrument` from now on. If `instrument` is nil, the notes are played unchanged.
  mutating func choose(_ instrument: Instrument?, named name: String) -> Notice {
    (self.name, keys) = (instrument == nil ? nil : name, instrument?.keys ?? [])
    settings.number &+= 1
    settings.table = instrument.map { InstrumentTable($0) }
    return Notice(
      instrument == nil ? "instrument: none; your notes are played unchanged" : "instrument \(name): selected")
  }

  /// Lets the instrument follow the chords of the rhythm `table` from `origin` on, the tick of its step 0.
  mutating func followChords(of table: StepTable, from origin: Tick) {
    settings.chords = table.chords
    settings.chords.origin = Step(origin.step.index + table.chords.origin.index)
    settings.chordsNumber &+= 1
  }

  /// Lets the notes of the peer `name` set the pitches. If `name` is nil, the local player sets them.
  mutating func borrowPitches(from name: String?) -> Notice {
    // A new number shows the network thread that the pitch source has changed, so that the thread forgets the keys of the former source.
    pitchChoices &+= 1
    settings.pitchSource = name == nil ? 0 : pitchChoices
    guard let name else { return Notice("pitches: you set them yourself again") }
    guard isChosen else {
      let remedy = "choose one with the key i or the command `instrument NAME`"
      return Notice("pitches: \(name) sets them as soon as you have an instrument; \(remedy)")
    }
    let effect =
      "each note that you play takes its pitch from a note that \(name) holds, or from the one that ended last"
    return Notice("pitches: \(name) sets them from now on; \(effect)")
  }

  /// Repeats the chosen phrase, or its next variation.
  mutating func repeatPhrase(isVaried: Bool, in core: PeerCore) -> Notice {
    guard let (phrase, name) = phrases.next(isVaried: isVaried, scale: keys) else {
      return Notice("phrase: none; record one with `phrase record`, or let a player send one")
    }
    play(phrase)
    let beginning = core.ensemble.role == .idle ? "as soon as a rhythm plays" : "from now on"
    return Notice("\(name): repeats \(beginning); end it with `phrase stop`")
  }

  /// Ends the repetition of the phrase.
  mutating func stopPhrase() -> Notice {
    guard phrases.isPlaying else { return Notice("phrase: none is playing") }
    phrases.isPlaying = false
    play(nil)
    return Notice("phrase: stopped")
  }

  /// Lets the network thread repeat `phrase`. If `phrase` is nil, the repetition ends.
  private mutating func play(_ phrase: Phrase?) {
    settings.phraseNumber &+= 1
    settings.phrase = phrase.map { PhraseTable($0) }
  }

  // MARK: Settings for the network thread

  /// Whether the rhythm, the activity or a delay has changed since the last call of ``settings(for:)``.
  func isOutdated(in core: PeerCore, pages: PagePlayers) -> Bool {
    if !pages.devices.devices.isEmpty {
      let table = pages.devices.table(in: core.ensemble)
      if (0..<AdoptedDevice.maximumCount).contains(where: { table[$0] != settings.devices[$0] }) { return true }
    }
    // The notes of other players depend only on the schedule and the sound lead.
    if settings.schedule != core.ensemble.schedule || settings.soundLead != core.ensemble.soundLead { return true }
    guard sendsInAdvance else { return false }
    return settings.activity != core.ensemble.localEnergy || settings.noteDelay != noteDelay(in: core)
  }

  /// Returns the settings for the network thread, which plays the instrument, the phrase and the notes of other players.
  ///
  /// - Parameter pages: the pages of this peer.
  mutating func settings(for core: PeerCore, pages: PagePlayers) -> InstrumentSettings {
    settings.pagePhrases = InlineArray { pages.repeating[$0] }
    settings.devices = pages.devices.table(in: core.ensemble)
    (settings.schedule, settings.activity) = (core.ensemble.schedule, core.ensemble.localEnergy)
    (settings.soundLead, settings.noteDelay) = (core.ensemble.soundLead, noteDelay(in: core))
    // 5 ms are a margin for late wake-ups of the network thread. The upper limit is 10 ms less than the shortest lead time of a master
    // (`leadWithoutPages`), so that no event is sent before a change that affects the event is known. The lower limit is what the audio
    // output of the local peer needs.
    let lead = min(settings.noteDelay + .milliseconds(5), core.ensemble.leadWithoutPages - .milliseconds(10))
    settings.lead = max(lead, core.ensemble.soundLead)
    return settings
  }

  /// Whether there is an instrument or a phrase. Only their notes are sent in advance.
  private var sendsInAdvance: Bool { settings.table != nil || settings.phrase != nil || repeatsPagePhrase }

  /// Whether a page repeats a phrase.
  private var repeatsPagePhrase: Bool {
    (0..<PagePhrase.maximumCount).contains { settings.pagePhrases[$0].table != nil }
  }

  /// The value for ``InstrumentSettings/noteDelay``.
  private func noteDelay(in core: PeerCore) -> Nanoseconds {
    sendsInAdvance ? core.ensemble.noteDelay + core.ensemble.soundLead : .zero
  }
}
