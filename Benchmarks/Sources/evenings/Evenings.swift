import ArgumentParser
import Foundation
import MusicalTime
import Rhythm
import Simulation

@main
struct Evenings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evenings",
    abstract: "Thousands of simulated evenings, and whether what must hold holds.",
    discussion: """
      Each seed is an evening of 2 to 16 peers on a network that may lose a fifth of all packets, with people who come, go, \
      crash, start at once, hand over and play. A seed that fails is told by the command that plays it again.

      EXAMPLE
        evenings --seeds 1000 --seconds 600
      """)

  @Option(help: ArgumentHelp("How many evenings.", valueName: "N"))
  var seeds: UInt64 = 1000

  @Option(help: ArgumentHelp("The first seed.", valueName: "K"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("How long each takes, in seconds of virtual time.", valueName: "S"))
  var seconds = 600

  @Option(help: ArgumentHelp("How many at a time.", valueName: "N"))
  var jobs = 2

  func validate() throws {
    guard (1...1_000_000).contains(seeds) else { throw ValidationError("--seeds \(seeds): give 1 to 1000000") }
    guard seed <= .max - seeds else { throw ValidationError("--seed \(seed): too great; give a smaller one") }
    guard (20...86400).contains(seconds) else { throw ValidationError("--seconds \(seconds): give 20 to 86400") }
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs \(jobs): give 1 to 64") }
  }

  func run() async throws {
    let begin = ContinuousClock.now
    let length = Nanoseconds.seconds(Int64(seconds))
    let table = try Self.street()
    var sum = Sum()
    await withTaskGroup(of: Outcome.self) { group in
      for next in seed..<seed + seeds {
        if next >= seed + UInt64(jobs), let outcome = await group.next() { note(outcome, in: &sum) }
        group.addTask { Self.play(next, length: length, table: table) }
      }
      for await outcome in group { note(outcome, in: &sum) }
    }
    let spent = ContinuousClock.now - begin
    let seconds = Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    print(sum)
    print(String(format: "%.0f s of wall time, %.2f s a seed", seconds, seconds / Double(seeds)))
    if sum.failed > 0 { throw ExitCode(1) }
  }

  private func note(_ outcome: Outcome, in sum: inout Sum) {
    sum.add(outcome)
    // At once, for whoever watches a file that this goes to.
    if sum.played % 50 == 0 {
      FileHandle.standardError.write(Data("\(sum.played) of \(seeds) played, \(sum.failed) failed\n".utf8))
    }
    guard let violation = outcome.violations.first else { return }
    let line = "tutti simulate --evening --seconds \(seconds) --seed \(outcome.seed)   \(violation)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  private static func play(_ seed: UInt64, length: Nanoseconds, table: StepTable) -> Outcome {
    let room = Room.evening(.evening(seed: seed, table: table), length: length)
    while room.run(until: .distantFuture) {}
    return room.outcome
  }

  /// The rhythm that everybody plays.
  private static func street() throws -> StepTable {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Patches/street.yaml")
    return StepTable(try PatchLoader.patch(from: String(contentsOf: file, encoding: .utf8), file: file.path))
  }
}
