import ArgumentParser
import Foundation
import MusicalTime
import Rhythm
import Simulation

@main
struct RandomScenarios: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "randomscenarios",
    abstract: "Simulate many random scenarios and check the invariants of an ensemble.",
    discussion: """
      Each seed gives a scenario with 2 to 16 peers on a network that may lose a fifth of all packets. The peers join, leave, \
      crash, start at the same time, hand over and play. For each seed that fails, the program prints the command that \
      repeats the scenario.

      EXAMPLE
        randomscenarios --seeds 1000 --seconds 600
      """)

  @Option(help: ArgumentHelp("Run this many scenarios.", valueName: "N"))
  var seeds: UInt64 = 1000

  @Option(help: ArgumentHelp("Use this seed for the first scenario.", valueName: "K"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Simulate this many seconds of virtual time.", valueName: "S"))
  var seconds = 600

  @Option(help: ArgumentHelp("Run this many scenarios in parallel.", valueName: "N"))
  var jobs = 2

  func validate() throws {
    guard (1...1_000_000).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): out of range; give 1 to 1000000")
    }
    guard seed <= .max - seeds else { throw ValidationError("--seed \(seed): too large; give a smaller seed") }
    guard (20...86400).contains(seconds) else {
      throw ValidationError("--seconds \(seconds): out of range; give 20 to 86400")
    }
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs \(jobs): out of range; give 1 to 64") }
  }

  func run() async throws {
    let begin = ContinuousClock.now
    let length = Nanoseconds.seconds(Int64(seconds))
    let table = try Self.street()
    var totals = Totals()
    await withTaskGroup(of: Outcome.self) { group in
      for next in seed..<seed + seeds {
        // When `jobs` scenarios run, the next one waits until one of them has ended.
        if next >= seed + UInt64(jobs), let outcome = await group.next() { record(outcome, in: &totals) }
        group.addTask { Self.simulate(seed: next, length: length, table: table) }
      }
      for await outcome in group { record(outcome, in: &totals) }
    }
    let spent = ContinuousClock.now - begin
    let seconds = Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    print(totals)
    print(String(format: "%.0f s wall time, %.2f s per seed", seconds, seconds / Double(seeds)))
    if totals.failed > 0 { throw ExitCode(1) }
  }

  /// Adds the outcome of a scenario to the totals. Prints the progress, and the command that repeats a scenario that failed.
  private func record(_ outcome: Outcome, in totals: inout Totals) {
    totals.add(outcome)
    // The output is not buffered, so that the progress is visible when standard error is a file.
    if totals.scenarios % 50 == 0 {
      FileHandle.standardError.write(Data("\(totals.scenarios) of \(seeds) scenarios, \(totals.failed) failed\n".utf8))
    }
    guard let violation = outcome.violations.first else { return }
    let line = "tutti simulate --random --seconds \(seconds) --seed \(outcome.seed)   \(violation)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  /// Runs one scenario to its end.
  private static func simulate(seed: UInt64, length: Nanoseconds, table: StepTable) -> Outcome {
    let world = VirtualWorld.random(.random(seed: seed, table: table), length: length)
    while world.run(until: .distantFuture) {}
    return world.outcome
  }

  /// Loads the rhythm of all peers, Patches/rhythms/street.yaml.
  private static func street() throws -> StepTable {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Patches/rhythms/street.yaml")
    return StepTable(try PatchLoader.patch(from: String(contentsOf: file, encoding: .utf8), file: file.path))
  }
}
