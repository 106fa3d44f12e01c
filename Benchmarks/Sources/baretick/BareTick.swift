import ArgumentParser
import Foundation

@main
struct BareTick: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baretick",
    abstract: "Compare followers of clock ticks without time stamps.",
    discussion: """
      The first table compares published followers with the follower of Tutti: ticks at 120 BPM, then at 140 BPM, late by \
      |N(0, 1 ms)|, without loss and with 5 % loss. The second table shows how soon the follower of Tutti recovers from \
      hostile tick trains. All times are virtual.

      EXAMPLES
        baretick --seeds 20
        baretick --series 1 > errors.txt
      """)

  @Option(help: ArgumentHelp("Run this many seeds, beginning with 1.", valueName: "N"))
  var seeds = 20

  @Option(
    help: ArgumentHelp(
      "Print the phase errors around the tempo step for this seed, without loss, as gnuplot data: one block per follower, "
        + "seconds from the step and milliseconds.", valueName: "SEED"))
  var series: UInt64?

  @Flag(help: "Print the tables as a JSON object.")
  var json = false

  func validate() throws {
    guard (1...10_000).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): out of range; give 1 to 10000")
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

  /// Prints the phase errors from 2 s before the tempo step to 6 s after it. Two empty lines end a block of gnuplot data.
  private func printSeries(seed: UInt64) {
    for method in FollowerMethod.allCases {
      print("\"\(method.rawValue)\"")
      for point in Experiment(method, seed: seed, loss: 0).outcome.errors where abs(point.at - 2) <= 4 {
        print(String(format: "%.4f %.3f", point.at, point.error))
      }
      print("\n")
    }
  }
}
