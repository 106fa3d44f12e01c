/// A gnuplot script for `tutti measure follower --plot`: the phase errors over time, and the responses to the tempo steps.
public struct FollowerPlot {
  /// The script, which contains its data and reads no file. It needs gnuplot 5.
  public let script: String

  /// Creates the script for `analysis`. When gnuplot runs the script, it writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public init(_ analysis: FollowerAnalysis, file: String, format: PlotFormat) {
    let (record, placement) = (analysis.record, analysis.placement)
    let sections = record.header.stimulus.sections
    // Returns one line for each sound of a section: the time in seconds, the phase error in microseconds, and the time since the beginning
    // of the section in seconds.
    func points(_ section: FollowerStimulus.Section) -> [String] {
      placement.sounds.filter { section.ticks.contains($0.tick) }.map { sound in
        "\(Double(record.ticks[sound.tick].ideal) / 1e9) \(sound.error / 1e3) "
          + "\((Double(record.ticks[sound.tick].ideal) - section.start) / 1e9)"
      }
    }
    var text = Gnuplot.head(file: file, format: format, height: 900)
    var (all, steps): ([String], [String]) = ([], [])
    for (index, section) in sections.enumerated() {
      let data = points(section)
      guard !data.isEmpty else { continue }
      text += Gnuplot.data("part\(index)", data)
      let style = "lc rgb '\(Gnuplot.colors[index % Gnuplot.colors.count])' title '\(section.part.rawValue)'"
      all.append("$part\(index) using 1:2 with points pt 7 ps 0.3 \(style)")
      if index > 0, sections[index - 1].period != section.period {
        steps.append("$part\(index) using 3:2 with linespoints pt 7 ps 0.3 \(style)")
      }
    }
    text += """
      set multiplot layout 2,1 title \(Gnuplot.quoted(analysis.report.provenance.title)) noenhanced
      set ylabel 'phase error / us'
      set xlabel 'time / s'
      \(Gnuplot.plot(all))
      set xlabel 'time after the tempo step / s'
      \(Gnuplot.plot(steps))
      unset multiplot
      unset output

      """
    script = text
  }
}
