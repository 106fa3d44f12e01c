import Foundation
import Measurement
import Testing

/// Tests of the outputs of `tutti measure clock` besides the report: the CSV rows, the histogram and the plot.
@Suite struct ClockOutputTests {
  private func analysis(_ stamps: [Int64]) throws -> ClockAnalysis {
    try ClockAnalysis(ClockStamps(name: "x", stamps: stamps), nominalBPM: 125, provenance: Clocks.provenance)
  }

  /// A clock with a tick every 20 ms: tick 10 is lost, tick 40 is 15 ms late, and tick 49 comes twice. Then the clock stops, and
  /// runs again from 5 s on.
  private static let stamps: [Int64] =
    (0..<50).filter { $0 != 10 }.map { $0 * 20_000_000 + ($0 == 40 ? 15_000_000 : 0) } + [49 * 20_000_000 + 1000]
    + (0..<50).map { 5_000_000_000 + $0 * 20_000_000 }

  @Test func rowsContainEachStampWithItsTick() throws {
    var text = ""
    let analysis = try analysis(Self.stamps)
    analysis.writeCSV { text += $0 }
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines[0] == "run,tick,time_ns,interval_ns,phase_ns,state")
    #expect(lines.count == 1 + Self.stamps.count)
    let rows = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(zip(rows, Self.stamps).allSatisfy { $0[2] == "\($1)" })
    // Row 10 is tick 11, which follows the lost tick 10 and has no interval. Row 39 is the late tick 40. Row 49 is the second
    // tick 49.
    #expect(rows[10][1] == "11" && rows[10][3].isEmpty && rows[11][3] == "20000000")
    #expect(rows[49][1] == "49" && rows[49][3...] == ["", "", "doubled"] && rows[39][5] == "late")
    #expect(rows[50][0] == "1" && rows[50][1] == "0" && rows[50][3].isEmpty && rows[99][1] == "49")
    // The sum of the phase errors of each run is 0. The late tick has the largest phase error.
    let errors = rows.map { Double($0[4]) ?? 0 }
    #expect(abs(errors[..<50].reduce(0, +)) < 10 && abs(errors[50...].reduce(0, +)) < 10)
    #expect(errors.max() == errors[39] && abs(errors[39] - analysis.report.phase.maximum) < 0.1)
    #expect(text.hasPrefix("# version: 1\n# command: test\n# input: x\n# sha256: 00\n"))
  }

  @Test func histogramHasTheFormOfCyclictest() throws {
    // The errors are symmetric in time and their mean is 0, so the best-fit line through the stamps leaves them unchanged. Each bin of
    // the histogram covers magnitudes of one microsecond. The histogram has three bins, so the two errors of 4.6 us overflow.
    let errors: [Int64] = [4600, -2300, -2300, -2300, -2300, 4600]
    let text = try analysis(errors.enumerated().map { Int64($0) * 20_000_000 + $1 + 10_000 }).histogram(limit: 3)
    let lines = text.split(separator: "\n").drop { $0.hasPrefix("#") }
    #expect(
      Array(lines) == [
        "000000 000000", "000001 000000", "000002 000004", "# Total: 000004", "# Min Latencies: 000002",
        "# Avg Latencies: 000003", "# Max Latencies: 000004", "# Histogram Overflows: 00002",
      ], "\(text)")
  }

  /// The tempo rises by 10 % in the middle, with a jitter of 50 us. Each window has 24 ticks. About 95 % of the windows contain the true tempo
  /// within 1.96 standard errors.
  @Test(arguments: UInt64(1)...5) func tempoOverTimeIsRecovered(seed: UInt64) throws {
    var time = 0.0
    let stamps = Clocks.gaussian(4800, seed: seed).enumerated().map { index, noise in
      time += index < 2400 ? 20e6 : 20e6 / 1.1
      return Int64(time + noise * 50_000)
    }
    let analysis = try analysis(stamps)
    let curve = analysis.report.tempoCurve
    #expect(curve.window == 24 && curve.rows.count == 200 && curve.rows.allSatisfy { $0.ticks == 24 && $0.run == 0 })
    var covered = 0
    for (index, row) in curve.rows.enumerated() {
      let expected = index < 100 ? 125 : 137.5
      let stated = try #require(row.standardError)
      if abs(row.tempo - expected) < 1.96 * stated { covered += 1 }
      // The slope of a line through 24 points with independent errors has the standard error sigma sqrt(12 / (24^3 - 24)).
      let error = 50_000 * (12.0 / (13_824 - 24)).squareRoot() * expected / (20e6 * 125 / expected)
      #expect(stated < 2.2 * error && stated > error / 2)
    }
    // Of 200 windows, about 190 are expected, with a standard deviation of 3.1.
    #expect((178...200).contains(covered), "\(covered)")
    #expect(abs(curve.rows[100].seconds - (2399 * 20e6 + 12.5 * 20e6 / 1.1) / 1e9) < 1e-3)
    var text = ""
    analysis.writeTempoCSV { text += $0 }
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == 201 && lines[0] == "run,time_s,tempo_bpm,standard_error_bpm,ticks")
    #expect(text.contains("# window: 24 ticks\n"))
    #expect(analysis.report.description.contains("Tempo over time, in windows of 384 ticks"))
  }

  @Test func plotContainsFivePicturesAndQuotesItsFile() throws {
    let analysis = try analysis(Self.stamps)
    let script = analysis.plot(PlotPicture(file: "it's.svg", format: .svg))
    #expect(script.contains("set output 'it''s.svg'") && script.contains("set terminal svg"))
    #expect(script.components(separatedBy: "\nplot ").count == 6)
    #expect(analysis.plot(PlotPicture(file: "a.png", format: .png)).contains("set terminal pngcairo"))
  }
}
