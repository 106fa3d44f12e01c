import ArgumentParser
import Foundation

@main
struct BareTick: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baretick",
    abstract: "Published followers of bare clock ticks beside Tutti's, and Tutti's on hostile trains.",
    discussion: """
      Ticks at 120 BPM, then at 140, late by |N(0, 1 ms)|, without and with one in twenty lost. All times are the seeds' \
      own: nothing is waited for.

      EXAMPLE
        baretick --seeds 20
        baretick --series 1 > errors.txt
      """)

  @Option(help: "How many seeds, from 1 on.")
  var seeds = 20

  @Option(
    help: ArgumentHelp(
      "Print, for this seed, each follower's error of phase through the step, without losses: seconds from it, "
        + "milliseconds, a block a follower, as gnuplot reads them.", valueName: "SEED"))
  var series: UInt64?

  @Flag(help: "Print the tables as a JSON object.")
  var json = false

  func validate() throws {
    guard (1...10_000).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): out of range; give one from 1 to 10000")
    }
  }

  func run() throws {
    if let series { return printSeries(seed: series) }
    let (followers, trains) = (FollowerTable(seeds: seeds), TrainTable(seeds: seeds))
    guard json else { return print(followers.text + "\n" + trains.text, terminator: "") }
    struct Report: Encodable {
      var seeds: Int
      var followers: [FollowerTable.Row]
      var trains: [TrainTable.Row]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let report = Report(seeds: seeds, followers: followers.rows, trains: trains.rows)
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
  }

  private func printSeries(seed: UInt64) {
    for contender in Contender.allCases {
      print("\"\(contender.rawValue)\"")
      for point in Experiment(contender, seed: seed, loss: 0).outcome.errors where abs(point.at - 2) <= 4 {
        print(String(format: "%.4f %.3f", point.at, point.error))
      }
      print("\n")
    }
  }
}
