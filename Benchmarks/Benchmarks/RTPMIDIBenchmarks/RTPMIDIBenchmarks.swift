import Benchmark
import Workloads

private let allocationCount = BenchmarkMetric.custom("Allocations per 1000 packets", useScalingFactor: false)
private let octets = BenchmarkMetric.custom("Journal octets", useScalingFactor: false)
private let meanOctets = BenchmarkMetric.custom("Journal octets, mean", useScalingFactor: false)

/// The cost of an RTP-MIDI packet in time, octets and allocations on one core. An iteration is 1000 packets, so throughput
/// is in thousands of packets per second.
let benchmarks: @Sendable () -> Void = {
  let rate = Benchmark.Configuration(
    metrics: [.throughput, allocationCount], warmupIterations: 200, scalingFactor: .kilo, maxDuration: .seconds(3),
    maxIterations: 50_000)
  let cost = Benchmark.Configuration(metrics: [octets, meanOctets], warmupIterations: 0, maxIterations: 1)

  // The lengths of a packet with a Timing Clock and a send instant, of a clock probe, and of the longest packet.
  for length in [26, 44, 1400] {
    let (writing, checking) = (TagLoop(length: length), TagLoop(length: length))
    Benchmark("\(length) octets: write the tag", configuration: rate) { benchmark in
      measure(benchmark) { writing.run(benchmark.scaledIterations.count, checks: false) }
    }
    Benchmark("\(length) octets: write and check the tag", configuration: rate) { benchmark in
      measure(benchmark) { checking.run(benchmark.scaledIterations.count, checks: true) }
      precondition(checking.accepted > 0, "no tag was accepted")
    }
  }

  for (name, workload, withJournal) in [
    ("clock", Workload.clock(count: RecordedPackets.count), false),
    ("clock with journal", Workload.clock(count: RecordedPackets.count), true),
    ("piano with journal", Workload.piano(count: RecordedPackets.count), true),
  ] {
    let encoding = EncodingLoop(workload, withJournal: withJournal)
    Benchmark("\(name): encode", configuration: rate) { benchmark in
      measure(benchmark) { encoding.encode(benchmark.scaledIterations.count) }
    }
    let decoding = DecodingLoop(RecordedPackets(workload, withJournal: withJournal))
    Benchmark("\(name): decode", configuration: rate) { benchmark in
      measure(benchmark) { decoding.decode(benchmark.scaledIterations.count) }
    }
    guard withJournal else { continue }
    let recording = RecordedPackets(workload, withJournal: true)
    let lossy = DecodingLoop(recording, lossInterval: 20)
    Benchmark("\(name): decode, 1 of 20 lost", configuration: rate) { benchmark in
      measure(benchmark) { lossy.decode(benchmark.scaledIterations.count) }
      precondition(lossy.isRepaired, "no packet was repaired")
    }
    Benchmark("\(name): octets", configuration: cost) { benchmark in
      var sum = 0
      for index in 0..<RecordedPackets.count {
        let count = try recording.journalCount(at: index)
        benchmark.measurement(octets, count)
        sum += count
      }
      benchmark.measurement(meanOctets, (sum + RecordedPackets.count / 2) / RecordedPackets.count)
    }
  }
}

/// Measures the time and the allocations of `body`.
private func measure(_ benchmark: Benchmark, _ body: () -> Void) {
  precondition(allocationsAreCounted, "allocations are not counted")
  benchmark.startMeasurement()
  let count = allocations(of: body)
  benchmark.stopMeasurement()
  benchmark.measurement(allocationCount, count)
}
