import MusicalTime

/// The analysis of a device that follows the clock of a ``FollowerStimulus``, for `tutti measure follower`: the phase errors of its
/// sounds, and the figures.
///
/// Real-time: not safe.
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
  ///   - soundsPerQuarter: the number of grid lines in a quarter note, a divisor of 24. The device plays on some or all of them.
  ///   - provenance: the origin of the figures, for the report.
  /// - Throws: ``ReportError`` if the sounds are not on a grid, or if there are too few sounds.
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
    // The drift of the recorder is subtracted from the phase errors before the other figures are calculated. A recorder with the clock
    // of the sender has no drift.
    let drift = sounds.hasCommonClock ? nil : FollowerFigures(record, placement, grid: grid).drift
    if let drift { placement.subtract(drift: drift.value / 1e6) }
    let figures = FollowerFigures(record, placement, grid: grid)
    (self.record, self.placement) = (record, placement)
    report = FollowerReport(
      figures, name: sounds.name, drift: drift, hasCommonClock: sounds.hasCommonClock, provenance: provenance)
  }

  /// The column titles of ``rows``.
  public static let titles = "part,tick,ideal_ns,sent_ns,sound_ns,error_ns"

  /// The rows of the CSV output, one for each sound on the grid, in the order of time.
  ///
  /// The columns are the part of the stimulus, the number of the tick, three instants, and the phase error. The instants are the ideal
  /// instant of the tick, the instant at which the tick was sent (empty for a lost tick), and the instant of the sound, in nanoseconds
  /// after tick 0. The phase error is the instant of the sound minus the ideal instant, without the drift of the recorder, in
  /// nanoseconds.
  public var rows: some Sequence<String> {
    let sections = record.header.stimulus.sections
    return placement.sounds.lazy.map { sound in
      let part = sections.first { $0.ticks.contains(sound.tick) }?.part.rawValue ?? ""
      let sent = record.sent[sound.tick].map { "\($0 - record.header.origin)" } ?? ""
      return "\(part),\(sound.tick),\(record.ticks[sound.tick].ideal),\(sent),"
        + "\(sound.instant.fixed(0)),\(sound.error.fixed(0))"
    }
  }

  /// Returns a gnuplot script that draws the phase errors over time, and the responses to the tempo steps.
  /// script contains its data, reads no file, needs gnuplot 5, and writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    let sections = record.header.stimulus.sections
    var data = ""
    var (all, steps): ([String], [String]) = ([], [])
    for (index, section) in sections.enumerated() {
      // One line for each sound: the time in seconds, the phase error in microseconds, and the time since the beginning of the section in
      // seconds.
      let lines = placement.sounds.filter { section.ticks.contains($0.tick) }.map { sound in
        let time = Double(record.ticks[sound.tick].ideal)
        return "\(time / 1e9) \(sound.error / 1e3) \((time - section.start) / 1e9)"
      }
      guard !lines.isEmpty else { continue }
      data += Gnuplot.data("part\(index)", lines)
      let style = "\(Gnuplot.symbol(index)) title '\(section.part.rawValue)'"
      all.append("$part\(index) using 1:2 with points \(style)")
      if index > 0, sections[index - 1].period != section.period {
        steps.append("$part\(index) using 3:2 with linespoints \(style)")
      }
    }
    return Gnuplot.script(
      picture, title: report.provenance.title, data: data,
      [
        Gnuplot.Panel(x: "time / s", y: "phase error / µs", curves: all),
        Gnuplot.Panel(x: "time after the tempo step / s", y: "phase error / µs", curves: steps),
      ])
  }
}
