import MusicalTime

/// The phase errors of a device that follows a ``FollowerStimulus``, and the figures that follow from them.
public struct FollowerAnalysis {
  /// The figures.
  public internal(set) var report: FollowerReport
  let record: StimulusRecord
  let placement: SoundPlacement

  /// Measures a device.
  ///
  /// - Parameters:
  ///   - sounds: the sounds of the device.
  ///   - record: the stimulus that was sent.
  ///   - soundsPerQuarter: the number of equal steps in a quarter note on which the device plays, a divisor of 24. It need not
  ///     play on each of them.
  ///   - provenance: where the figures come from.
  /// - Throws: ``ReportError`` if the sounds cannot be assigned to the ticks.
  ///
  /// Real-time: not safe.
  public init(
    _ sounds: FollowerSounds, _ record: StimulusRecord, soundsPerQuarter: Int, provenance: Provenance
  ) throws(ReportError) {
    let grid = 24 / soundsPerQuarter
    var placement = try SoundPlacement(sounds, record, grid: grid)
    guard placement.sounds.count >= FollowerFigures.fewestSounds else {
      throw ReportError(
        subject: sounds.name, reason: "fewer than \(FollowerFigures.fewestSounds) sounds on the grid",
        remedy: "let the device play a pattern with a sound on each quarter note, and measure again")
    }
    let drift = sounds.hasCommonClock ? nil : FollowerFigures(record, placement, grid: grid).drift
    if let drift { placement.subtract(drift: drift.value / 1e6) }
    let figures = FollowerFigures(record, placement, grid: grid)
    (self.record, self.placement) = (record, placement)
    report = FollowerReport(
      figures, name: sounds.name, drift: drift, hasCommonClock: sounds.hasCommonClock, provenance: provenance)
  }

  /// The titles of ``rows``.
  public static let titles = "part,tick,ideal_ns,sent_ns,sound_ns,error_ns"

  /// One line for each sound on the grid: the part, the tick, and in nanoseconds after tick 0 the ideal instant of the tick,
  /// the instant at which the tick was sent (empty if it was not), and the instant of the sound; and the phase error, the sound minus the ideal
  /// instant, without the drift of the recorder.
  public var rows: some Sequence<String> {
    let sections = record.header.stimulus.sections
    return placement.sounds.lazy.map { sound in
      let part = sections.first { $0.ticks.contains(sound.tick) }?.part.rawValue ?? ""
      let sent = record.sent[sound.tick].map { "\($0 - record.header.origin)" } ?? ""
      return "\(part),\(sound.tick),\(record.ticks[sound.tick].ideal),\(sent),"
        + "\((sound.instant as Double?).fixed(0)),\((sound.error as Double?).fixed(0))"
    }
  }
}
