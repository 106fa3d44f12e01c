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

  /// Returns a gnuplot script that draws the phase errors over time, and the responses to the tempo steps, if there are tempo steps. The
  /// script contains its data, reads no file, needs gnuplot 5, and writes a picture.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    let sections = record.header.stimulus.sections
    var data = ""
    // The phase errors in milliseconds, over the time of the clock, and over the time since the tempo step, in seconds.
    var (all, responses): ([[(x: Double, y: Double)]], [[(x: Double, y: Double)]]) = ([], [])
    var (points, keys, lines): ([String], [String], [String]) = ([], [], [])
    for (index, section) in sections.enumerated() {
      let sounds = placement.sounds.filter { section.ticks.contains($0.tick) }
      guard !sounds.isEmpty else { continue }
      let times = sounds.map { Double(record.ticks[$0.tick].ideal) }
      let part = zip(times, sounds).map { (x: $0 / 1e9, y: $1.error / 1e6) }
      all.append(part)
      data += Gnuplot.data("part\(index)", part.map { "\($0.x) \($0.y) \($0.x - section.start / 1e9)" })
      // A part has hundreds of sounds.
      points.append("$part\(index) using 1:2 with points \(Gnuplot.symbol(index, size: 0.25)) notitle")
      keys.append(Gnuplot.keyEntry(index, section.part.rawValue))
      if index > 0, sections[index - 1].period != section.period {
        responses.append(part.map { ($0.x - section.start / 1e9, $0.y) })
        let title = Gnuplot.quoted(section.part.rawValue)
        lines.append("$part\(index) using 3:2 with linespoints \(Gnuplot.symbol(index)) title \(title)")
      }
    }
    // Returns the panel of `series`, and adds the marks of the outliers to `data`.
    func panel(_ name: String, x: String, _ series: [[(x: Double, y: Double)]], _ curves: [String]) -> Gnuplot.Panel {
      let robust = RobustRange(isolatedIn: series.map { $0.map(\.y) })
      let outside = robust?.outside(name, series.flatMap(\.self), unit: "ms", isInKey: false)
      data += outside?.data ?? ""
      return Gnuplot.Panel(
        x: outside.map { "\(x) \($0.note)" } ?? x, y: "phase error / ms", settings: robust.map { [$0.setting] } ?? [],
        curves: curves + [outside?.curve].compactMap(\.self))
    }
    var panels = [panel("outside", x: "time / s", all, points + keys)]
    if !responses.isEmpty {
      panels.append(panel("outsideresponses", x: "time after the tempo step / s", responses, lines))
    }
    return Gnuplot.script(picture, title: report.provenance.title, data: data, panels)
  }
}
