import Audio
import Ensemble
import MIDI
import MusicalTime
import Realtime
import Rhythm

// What the local peer plays: the instrument of the player, the tables of the rhythm and of the score, their loudness, and their advance.
extension Peer {
  /// Plays the notes of the player with `instrument` from now on. If `instrument` is nil, the notes are played unchanged.
  func choose(_ instrument: Instrument?, named name: String) {
    let notice = self.instrument.choose(instrument, named: name)
    let program = instrument?.program
    ensemble.change(identity, at: MonotonicClock.now) {
      $0.instrument = program.map { .program(UInt7(masking: $0)) } ?? .none
    }
    network.play(self.instrument.settings(for: core, pages: pages))
    report(notice, at: MonotonicClock.now)
  }

  /// Passes the tables of a patch choice to the clock thread.
  func play(_ effect: PatchChoice.Effect, at now: Instant) {
    for (place, table) in effect.tables {
      sound.prepare(table.table.partPrograms)
      clock.play(table, in: place)
    }
    // A patch with early hits has raised the lead.
    if !effect.tables.isEmpty { clock.send(.soundLead(ensemble.soundLead)) }
    if let table = effect.table {
      instrument.followChords(of: table, from: patches.tick)
      if instrument.isChosen { network.play(instrument.settings(for: core, pages: pages)) }
    }
    report(effect.notices, at: now)
  }

  /// Passes the tables of scores and the levels of their parts to the clock thread.
  func play(_ effect: ScoreChoice.Effect, at now: Instant) {
    for (place, table) in effect.tables {
      sound.prepare(table.programs)
      clock.play(table, in: place)
    }
    if let levels = effect.levels { clock.set(levels) }
    if let parts = effect.begun { records.beginScore(parts: parts) }
    report(effect.notices, at: now)
  }

  /// Sets the loudness of the rhythm at this peer in percent.
  func set(loudness percent: Int) {
    clock.send(.rhythmLevel(UInt8(min(max(percent, 0), 100))))
    log.info("the rhythm: \(percent) % of its loudness, at this peer only")
  }

  /// Sets the delay after the sound card, by which the rhythm is played earlier.
  func set(latency milliseconds: Double) {
    guard sound.hasCard else {
      return log.notice("latency: has no effect without a sound card; start this peer with --audio alsa")
    }
    let limits = PeerConfiguration.latencies(leadTime: configuration.lead.milliseconds)
    guard limits.contains(milliseconds) else {
      let (lower, upper) = (Int(limits.lowerBound.rounded(.up)), Int(limits.upperBound))
      let remedy = "give \(lower) to \(upper) ms, or start this peer with a longer --lead-time"
      return log.notice("latency: \(Self.text(of: milliseconds)) ms is out of range; \(remedy)")
    }
    sound.set(latency: Nanoseconds(Int64((milliseconds * 1e6).rounded())))
    passSoundLead()
    let direction = milliseconds < 0 ? "later" : "earlier"
    let effect = milliseconds == 0 ? "at its instants" : "\(Self.text(of: abs(milliseconds))) ms \(direction)"
    let value = Self.text(of: milliseconds)
    log.info("latency: \(value) ms; the rhythm is played \(effect) from now on, at this peer only")
  }

  /// Passes each step to the sound as early as the sound output and the patch now require.
  func passSoundLead() {
    ensemble.raiseSoundLead(to: sound.lead + patches.maximumPush)
    clock.send(.soundLead(ensemble.soundLead))
  }

  /// A number of milliseconds, rounded to tenths.
  private static func text(of milliseconds: Double) -> String {
    let rounded = (milliseconds * 10).rounded() / 10
    return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
  }
}
