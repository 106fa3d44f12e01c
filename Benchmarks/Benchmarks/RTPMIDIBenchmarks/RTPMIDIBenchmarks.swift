import Benchmark
import Performances

private let allocationCount = BenchmarkMetric.custom("Allocations in 1000 packets", useScalingFactor: false)
private let octets = BenchmarkMetric.custom("Octets of journal", useScalingFactor: false)
private let meanOctets = BenchmarkMetric.custom("Octets of journal, mean", useScalingFactor: false)

/// What an RTP-MIDI packet costs in time, octets and allocations. An iteration is 1000 packets, so that throughput is
/// in thousands of packets a second, on one core.
let benchmarks: @Sendable () -> Void = {
  let rate = Benchmark.Configuration(
    metrics: [.throughput, allocationCount], warmupIterations: 200, scalingFactor: .kilo, maxDuration: .seconds(3),
    maxIterations: 50_000)
  let cost = Benchmark.Configuration(metrics: [octets, meanOctets], warmupIterations: 0, maxIterations: 1)

  for (name, performance, withJournal) in [
    ("clock", Performance.clock(count: Tape.count), false),
    ("clock with journal", Performance.clock(count: Tape.count), true),
    ("piano with journal", Performance.piano(count: Tape.count), true),
  ] {
    let encoding = Encoding(performance, withJournal: withJournal)
    Benchmark("\(name): encode", configuration: rate) { benchmark in
      measure(benchmark) { encoding.encode(benchmark.scaledIterations.count) }
    }
    let decoding = Decoding(Tape(performance, withJournal: withJournal))
    Benchmark("\(name): decode", configuration: rate) { benchmark in
      measure(benchmark) { decoding.decode(benchmark.scaledIterations.count) }
    }
    guard withJournal else { continue }
    let tape = Tape(performance, withJournal: true)
    let lossy = Decoding(tape, lossInterval: 20)
    Benchmark("\(name): decode, one in 20 lost", configuration: rate) { benchmark in
      measure(benchmark) { lossy.decode(benchmark.scaledIterations.count) }
      precondition(lossy.isRepaired, "nothing was repaired")
    }
    Benchmark("\(name): octets", configuration: cost) { benchmark in
      var sum = 0
      for index in 0..<Tape.count {
        let count = try tape.journalCount(at: index)
        benchmark.measurement(octets, count)
        sum += count
      }
      benchmark.measurement(meanOctets, (sum + Tape.count / 2) / Tape.count)
    }
  }
}

/// The time and the allocations of `body`.
private func measure(_ benchmark: Benchmark, _ body: () -> Void) {
  precondition(allocationsAreCounted, "malloc is not counted here")
  benchmark.startMeasurement()
  let count = allocations(of: body)
  benchmark.stopMeasurement()
  benchmark.measurement(allocationCount, count)
}
