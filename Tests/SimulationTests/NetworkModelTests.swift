import MusicalTime
import Simulation
import Testing
import _TestSupport

/// Tests of ``NetworkModel``: its delays and losses, and the text file that describes a network.
@Suite struct NetworkModelTests {
  /// The delays of `count` packets in microseconds, without the lost packets.
  private func delays(_ network: NetworkModel, count: Int = 100_000) -> [Double] {
    var random = SplitMix(seed: 7)
    return (0..<count).compactMap { _ in network.delay(&random)?.microseconds }
  }

  @Test func delaysHaveTheDistributionOfNetem() {
    // Mean and standard deviation in microseconds. The standard deviation of `poor` is less than its nominal 5 ms, because the
    // long tail of the Pareto distribution is cut, as in netem.
    for (network, mean, deviation) in [
      (NetworkModel.lan, 500.0, 100.0), (.wifi, 5000, 1000), (.poor, 5000, 4000),
    ] {
      let delays = delays(network)
      let average = delays.reduce(0, +) / Double(delays.count)
      let variance = delays.reduce(0) { $0 + ($1 - average) * ($1 - average) } / Double(delays.count)
      #expect(abs(average - mean) < mean / 10, "\(network.name)")
      #expect(abs(variance.squareRoot() - deviation) < deviation / 4, "\(network.name)")
    }
    // The minimum of `still` is 100 us, and its standard deviation is 1 us. No delay is seven deviations above the minimum.
    #expect(delays(.still).allSatisfy { $0 >= 100 && $0 < 107 })
    // A Pareto distribution of index 3 and minimum 1 has the mean 1.5 and the standard deviation 0.866. The minimum therefore
    // lies 0.577 deviations (0.5 / 0.866) below the mean. `poor` has the mean 5 ms and the deviation 5 ms, so its minimum is
    // 5 ms - 0.577 * 5 ms = 2.11 ms.
    #expect(delays(.poor).min()! >= 2110)
  }

  @Test func lossHasTheGivenFraction() {
    // Of 100 000 packets, `poor` loses 3 %, with a tolerance of 0.3 %, and `lan` loses none.
    #expect(abs(Double(delays(.poor).count) / 100_000 - 0.97) < 0.003)
    #expect(delays(.lan).count == 100_000)
  }

  @Test func fileDescribesTheNetwork() throws {
    let network = try NetworkModel(
      text: "# a hall\ndelay_ms 8   the mean\n\njitter_ms: 2.5\nloss 0.05\nburst 4\nduplicate 0.001\nreorder 0.02\n",
      file: "hall")
    #expect(
      network
        == NetworkModel(
          name: "hall", delay: .milliseconds(8), jitter: .microseconds(2500), loss: 0.05, burst: 4, duplicate: 0.001,
          reorder: 0.02))
  }

  @Test(arguments: [
    ("loss 5", "f:1: loss 5: out of range; give a fraction from 0 to 1, such as 0.05 for 5 %"),
    ("loss", "f:1: loss: no number follows; write a setting and a number, such as `loss 0.05`"),
    ("\ndelay_ms nan", "f:2: delay_ms: no number follows"),
    ("delay_ms -1", "f:1: delay_ms -1: out of range; give 0 to 10000 milliseconds"),
    ("burst 0.5", "f:1: burst 0.5: out of range; give 1 to 1000 packets"),
    ("los 0.1", "f:1: los: not known; give delay_ms"),
    ("loss 0.1\nloss: 0.1", "f:2: loss: given twice"),
    ("\u{0}\u{FFFD}", "no number follows"),
  ])
  func errorNamesLineReasonAndRemedy(text: String, message: String) {
    do throws(NetworkModel.Fault) {
      _ = try NetworkModel(text: text, file: "f")
      Issue.record("\(text) was accepted")
    } catch {
      #expect(error.description.contains(message), "\(error)")
    }
  }
}
