import ArgumentParser
import CAllocationCount
import ClockSync
import Foundation
import MusicalTime
import Simulation
import _TestSupport

@main
struct RemoteClockBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remoteclock",
    abstract: "Measure the error and the cost of remote clock estimation on virtual networks.",
    discussion: """
      Each seed simulates two peers: 50 probes per second in each direction in the first minute, then 10 per second, and 48 \
      ticks per second. The clock is estimated 20 times per second. The figures are the 95th percentile of the magnitude of \
      the error, and the median over all seeds, in microseconds. The skew is that of the master's clock and grows by the \
      drift.

      With --shapes, the networks are those of ten distributions of delays, four with a hard and six with a soft edge, each with \
      three deviations, without and with bursts of loss and a skew of 20 ppm, for 40 seconds. The figures are the medians over \
      all seeds of the 95th percentiles, in microseconds.

      EXAMPLES
        remoteclock --seconds 3600 --seeds 6
        remoteclock --shapes --first-seed 101 --seeds 20
      """)

  @Option(help: ArgumentHelp("Simulate this many seconds of virtual time.", valueName: "S"))
  var seconds = 3600.0

  @Option(help: ArgumentHelp("Run this many seeds.", valueName: "N"))
  var seeds: UInt64 = 6

  @Option(help: ArgumentHelp("Begin with this seed.", valueName: "N"))
  var firstSeed: UInt64 = 1

  @Flag(help: "Measure ten shapes of delays instead of the networks of the lab.")
  var shapes = false

  @Flag(help: "Print one JSON object for each line of the table.")
  var json = false

  func validate() throws {
    guard seconds >= 60, seconds <= 86400 else {
      throw ValidationError("--seconds \(seconds): out of range; give 60 to 86400")
    }
    guard (1...10_000).contains(seeds) else { throw ValidationError("--seeds \(seeds): out of range; give 1 to 10000") }
    guard firstSeed <= 1_000_000_000 else {
      throw ValidationError("--first-seed \(firstSeed): out of range; give 0 to 1000000000")
    }
  }

  private var allSeeds: ClosedRange<UInt64> { firstSeed...(firstSeed + seeds - 1) }

  /// The results of all seeds on one network with one skew and drift.
  struct Row: Encodable {
    var network: String
    /// The skew in parts per million, and its drift in parts per million per minute.
    var skew, drift: Double
    /// The 95th percentile of the error from 10 to 40 s, in microseconds: the median over all seeds, and the worst seed.
    var early, earlyWorst: Double
    /// The 95th percentile of the error from 40 s to the end, in microseconds: the median over all seeds.
    var late: Double
    /// The largest error of all seeds from 10 s on, in microseconds.
    var largest: Double
    /// The largest error of all seeds from 1 to 1.2 s after the beginning, in microseconds.
    var atOneSecond: Double
    /// The time per packet, including the estimates.
    var nanosecondsPerPacket: Double
    /// The sums over all seeds: packets, memory allocations, packets with implausible time stamps, and resets of the estimate.
    var packets, allocations, rejected, resets: Int
  }

  func run() throws {
    if shapes { return try measureShapes() }
    if !json {
      print(
        "network  skew ppm  drift ppm/min  p95 10-40 s  worst seed  p95 40 s-end   largest  at 1 s  ns/packet  allocations"
      )
    }
    for network in NetworkModel.lab {
      for (skew, drift) in [(0.0, 0.0), (50, 1), (-50, -1)] {
        let row = measure(network, skew: skew, drift: drift)
        if json {
          try printJSON(row)
        } else {
          let name = row.network.padding(toLength: 7, withPad: " ", startingAt: 0)
          print(
            name
              + String(
                format: "%10.0f %14.0f %12.2f %11.2f %13.2f %9.1f %7.0f %10.0f %12d", row.skew, row.drift, row.early,
                row.earlyWorst, row.late, row.largest, row.atOneSecond, row.nanosecondsPerPacket, row.allocations))
        }
      }
    }
  }

  private func measureShapes() throws {
    if !json { print(ShapeMeasurement.header) }
    for shape in DelayModel.Shape.allCases {
      for deviation in [100, 1000, 8000] {
        for hasLoss in [false, true] {
          let delays = DelayModel(shape, deviation: .microseconds(Int64(deviation)), hasLoss: hasLoss)
          let measurement = ShapeMeasurement(delays, seeds: allSeeds)
          if json { try printJSON(measurement) } else { print(measurement.line) }
        }
      }
    }
  }

  private func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Runs all seeds on one network with one skew and drift.
  private func measure(_ network: NetworkModel, skew: Double, drift: Double) -> Row {
    var route = VirtualRoute(network)
    (route.offset, route.skew, route.drift) = (.seconds(4242), skew, drift)
    var row = Row(
      network: network.name, skew: skew, drift: drift, early: 0, earlyWorst: 0, late: 0, largest: 0, atOneSecond: 0,
      nanosecondsPerPacket: 0, packets: 0, allocations: 0, rejected: 0, resets: 0)
    var (early, late): ([Double], [Double]) = ([], [])
    var spent = 0.0
    for seed in allSeeds {
      let measurements = route.measurements(seconds: seconds, seed: seed)
      var clock = RemoteClock()
      var estimates = [ClockEstimate?](repeating: nil, count: measurements.count)
      let begin = ContinuousClock.now
      allocation_count_begin()
      var next = Instant(nanoseconds: 0)
      for index in measurements.indices {
        let now = measurements[index].at
        clock.add(measurements[index].transit, at: now)
        guard now >= next else { continue }
        next = now + .milliseconds(50)
        estimates[index] = clock.estimate(at: now)
      }
      row.allocations += Int(allocation_count_end())
      let length = ContinuousClock.now - begin
      spent += Double(length.components.seconds) * 1e9 + Double(length.components.attoseconds) / 1e9
      row.packets += measurements.count
      row.rejected += clock.rejected
      row.resets += clock.resets
      var (earlyErrors, lateErrors): ([Double], [Double]) = ([], [])
      for (measurement, estimate) in zip(measurements, estimates) {
        guard let estimate else { continue }
        let error = (estimate.offset - route.difference(at: measurement.at)).magnitude.microseconds
        let second = Double(measurement.at.nanoseconds) / 1e9
        if (1...1.2).contains(second) { row.atOneSecond = max(row.atOneSecond, error) }
        if second >= 10 { row.largest = max(row.largest, error) }
        if (10..<40).contains(second) { earlyErrors.append(error) }
        if second >= 40 { lateErrors.append(error) }
      }
      early.append(percentile95(of: earlyErrors))
      late.append(percentile95(of: lateErrors))
    }
    (row.early, row.earlyWorst, row.late) = (median(early), early.max() ?? 0, median(late))
    row.nanosecondsPerPacket = spent / Double(row.packets)
    return row
  }

  private func percentile95(of values: [Double]) -> Double { values.sorted()[values.count * 95 / 100] }
}
