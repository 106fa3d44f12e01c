import Foundation
import MusicalTime

/// The analysis of the activity of an ensemble, for `tutti measure activity`: the share of each player in the total, who leads and who
/// follows, and the response to changes of the layers.
///
/// The energies and the total activity are sampled ten times a second, in the time that all traces cover.
public struct ActivityAnalysis: Sendable {
  /// The figures.
  public var report: ActivityReport
  /// The names and the samples of the players, and at the end those of the total; NaN where a value is not known.
  private let series: [(name: String, samples: [Double])]

  /// The time between two samples in nanoseconds.
  static let step: Int64 = 100_000_000
  /// The greatest lag of the cross-correlation in samples: 5 s.
  static let greatestLag = 50
  /// The shortest block of the jackknife in samples: 5 s. The low-pass filter of the energy has a time constant of 300 ms.
  private static let shortestBlock = 50

  /// Analyses the traces of one or more peers.
  ///
  /// A player is taken from the trace of its own peer if it is given, because this trace contains the exact instants. The total and the
  /// layers are taken from the first trace.
  ///
  /// - Parameters:
  ///   - traces: the traces.
  ///   - clockOffsets: the clock of each trace minus a common clock; empty if all traces share a clock.
  /// - Throws: ``ReportError`` without a trace, or if the traces have less than 5 s in common.
  ///
  /// Real-time: not safe.
  public init(_ traces: [ActivityTrace], clockOffsets: [Nanoseconds] = []) throws(ReportError) {
    let offsets = traces.indices.map { clockOffsets.isEmpty ? 0 : (clockOffsets[$0] - clockOffsets[0]).count }
    let spans = zip(traces, offsets).compactMap { trace, offset in
      trace.span.map { ($0.lowerBound - offset, $0.upperBound - offset) }
    }
    guard let start = spans.map(\.0).max(), let end = spans.map(\.1).min(),
      case let count = Int((end - start) / Self.step), count >= Self.shortestBlock
    else {
      throw ReportError(
        subject: "traces", reason: "less than 5 s of activity in common",
        remedy: "give longer traces of one session; if the clocks of the peers differ, give --clock-ahead")
    }
    let players = Self.players(traces, offsets: offsets)
    let energies = players.map { Self.samples($0.energies, from: start, count: count) }
    let total = Self.samples(traces[0].total, from: start, count: count)
    series = zip(players.map(\.name), energies).map { ($0, $1) } + [("total", total)]
    let changes = Self.changes(of: traces[0].layers, total: traces[0].total, in: start...end)
    let sums = (0..<count).map { index in energies.reduce(0) { $0 + ($1[index].isNaN ? 0 : $1[index]) } }
    report = ActivityReport(
      seconds: Double(count) * Double(Self.step) / 1e9,
      players: zip(players, energies).map { player, samples in
        ActivityReport.Player(
          name: player.name, peer: player.peer, energy: Moments(samples),
          share: Self.share(of: samples, in: sums), motions: Moments(player.motions.map(Double.init)),
          response: Self.response(of: samples, to: changes, from: start))
      },
      total: Moments(total),
      layers: ActivityReport.Layers(
        changes: changes.count, rises: changes.count { $0.sign > 0 },
        response: Self.response(of: sums, to: changes, from: start)),
      pairs: [], notes: [])
    for a in series.indices {
      for b in series.indices[(a + 1)...] {
        let correlation = LaggedCorrelation(
          series[a].samples, series[b].samples, lags: Self.greatestLag, shortestBlock: Self.shortestBlock)
        report.pairs.append(
          ActivityReport.Pair(
            first: series[a].name, second: b < players.count ? series[b].name : nil, correlation,
            step: Double(Self.step) / 1e9))
      }
    }
    if count < Self.shortestBlock * BlockJackknife.blocks.lowerBound {
      report.notes.append("no intervals and lags: the traces have less than 25 s in common")
    }
    if !total.contains(where: { !$0.isNaN }) { report.notes.append("no total: no rhythm played") }
  }

  /// A player with its energies by the common clock.
  private struct Player {
    var name, peer: String
    var energies: [(instant: Int64, value: UInt8?)]
    var motions: [UInt8]
  }

  /// Returns the players of all traces, each once.
  private static func players(_ traces: [ActivityTrace], offsets: [Int64]) -> [Player] {
    var (order, best): ([String], [String: (player: Player, isOwn: Bool)]) = ([], [:])
    for (trace, offset) in zip(traces, offsets) {
      for (_, player) in trace.players.sorted(by: { $0.key < $1.key }) {
        let identity = player.participant.player.identity
        let isOwn = player.participant.peer == trace.header.identity
        if best[identity] == nil { order.append(identity) }
        guard best[identity] == nil || (isOwn && !best[identity]!.isOwn) else { continue }
        best[identity] = (
          Player(
            name: player.participant.player.name, peer: player.participant.peer,
            energies: player.energies.map { ($0.instant - offset, $0.value) }, motions: player.motions.map(\.strength)),
          isOwn
        )
      }
    }
    return order.map { best[$0]!.player }
  }

  /// Returns the value of a step function at each sample; NaN where it is not known.
  private static func samples(_ steps: [(instant: Int64, value: UInt8?)], from start: Int64, count: Int) -> [Double] {
    var (next, value) = (0, UInt8?.none)
    return (0..<count).map { index in
      while next < steps.count, steps[next].instant <= start + Int64(index) * step {
        value = steps[next].value
        next += 1
      }
      return value.map(Double.init) ?? .nan
    }
  }

  /// Returns the share of the sum of a series in the sum of another.
  private static func share(of samples: [Double], in sums: [Double]) -> Estimate? {
    let count = min(samples.count / shortestBlock, BlockJackknife.blocks.upperBound)
    let blocks = (0..<count).map { block in
      (block * samples.count / count..<(block + 1) * samples.count / count).reduce(into: (0.0, 0.0)) { sum, index in
        sum.0 += samples[index].isNaN ? 0 : samples[index]
        sum.1 += sums[index]
      }
    }
    return BlockJackknife.estimate(blocks: count, on: .odds) { block in
      let kept = blocks.indices.filter { $0 != block }.map { blocks[$0] }
      let sum = kept.reduce((0.0, 0.0)) { ($0.0 + $1.0, $0.1 + $1.1) }
      return sum.1 > 0 ? sum.0 / sum.1 : nil
    }
  }

  // MARK: Layers

  /// A change of the layers together with the total: 1 if the total rises, -1 if it falls.
  private struct Change {
    var instant: Int64
    var sign: Double
  }

  /// Returns the changes of the layers at which the total changes.
  private static func changes(
    of layers: [TraceLayers], total: [(instant: Int64, value: UInt8?)], in span: ClosedRange<Int64>
  ) -> [Change] {
    zip(layers, layers.dropFirst()).compactMap { before, after in
      let instant = after.instant.nanoseconds
      guard before.layers != after.layers, span.contains(instant),
        case let next = total.firstIndex(bySearching: { $0.instant >= instant }), next > 0, next < total.count,
        total[next].instant == instant, let now = total[next].value, let last = total[next - 1].value
      else { return nil }
      return Change(instant: instant, sign: now > last ? 1 : -1)
    }
  }

  /// Returns the mean response to the changes: the mean of the series from 0.5 to 2.5 s after a change minus its mean in the last second
  /// before the change, with the opposite sign if the total falls. Nil with fewer than five changes.
  private static func response(of samples: [Double], to changes: [Change], from start: Int64) -> Estimate? {
    func mean(_ range: Range<Int>) -> Double? {
      guard range.lowerBound >= 0, range.upperBound <= samples.count else { return nil }
      let mean = samples[range].reduce(0, +) / Double(range.count)
      return mean.isNaN ? nil : mean
    }
    let responses = changes.compactMap { change -> Double? in
      let index = Int((change.instant - start) / step)
      guard let before = mean(index - 10..<index), let after = mean(index + 5..<index + 25) else { return nil }
      return (after - before) * change.sign
    }
    guard responses.count >= 5 else { return nil }
    let n = Double(responses.count)
    let mean = responses.reduce(0, +) / n
    let variance = responses.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    let half = BlockJackknife.quantile(responses.count - 1) * (variance / n).squareRoot()
    return Estimate(mean, mean - half...mean + half)
  }

  // MARK: Output

  /// Writes the CSV output: a line with the column titles, and one line for each sample.
  ///
  /// - Parameter output: is called with each line, without a line end.
  ///
  /// Real-time: not safe.
  public func writeRows(_ output: (String) -> Void) {
    output((["time_s"] + series.map(\.name.quotedForCSV)).joined(separator: ","))
    for index in series[0].samples.indices {
      let time = (Double(index) * Double(Self.step) / 1e9).fixed(1)
      let values = series.map { $0.samples[index].isNaN ? "" : $0.samples[index].fixed(0) }
      output(([time] + values).joined(separator: ","))
    }
  }

  /// Returns a gnuplot script that draws the energies and the total over time, and the cross-correlations of the players. The script
  /// contains its data, reads no file, needs gnuplot 5, and writes a picture to `file`.
  ///
  /// Real-time: not safe.
  public func plot(_ picture: PlotPicture) -> String {
    var data = ""
    var (curves, correlations): ([String], [String]) = ([], [])
    for (index, (name, samples)) in series.enumerated() where samples.contains(where: { !$0.isNaN }) {
      // Only the samples at which the value changes are drawn.
      let steps = samples.indices.filter { $0 == 0 || $0 == samples.count - 1 || samples[$0] != samples[$0 - 1] }
      data += Gnuplot.data(
        "time\(index)", steps.map { "\(Double($0) / 10) \(samples[$0].isNaN ? "NaN" : "\(samples[$0])")" })
      curves.append("$time\(index) using 1:2 with steps \(Gnuplot.color(index)) title \(Gnuplot.quoted(name))")
    }
    for (index, pair) in report.pairs.enumerated() where pair.coefficients.contains(where: { $0 != nil }) {
      data += Gnuplot.data(
        "lag\(index)",
        pair.coefficients.enumerated().map {
          "\(Double($0.offset - Self.greatestLag) / 10) \($0.element.map { "\($0)" } ?? "NaN")"
        })
      let title = Gnuplot.quoted("\(pair.first), \(pair.second ?? "total")")
      correlations.append("$lag\(index) using 1:2 with lines \(Gnuplot.color(index)) title \(title)")
    }
    if correlations.isEmpty { correlations = ["NaN notitle"] }
    return Gnuplot.script(
      picture, title: report.provenance?.title ?? "", data: data,
      [
        Gnuplot.Panel(x: "time / s", y: "activity, 0 to 127", settings: ["set yrange [0:130]"], curves: curves),
        Gnuplot.Panel(
          x: "lag / s; positive: the second follows", y: "correlation",
          settings: ["set yrange [-1.05:1.05]", "set xrange [-5:5]"], curves: correlations),
      ])
  }
}
