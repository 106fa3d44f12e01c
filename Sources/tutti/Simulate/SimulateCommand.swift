import ArgumentParser
import Foundation
import MusicalTime
import Rhythm
import Simulation

/// The subcommand `tutti simulate`.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate many peers on a virtual network, faster than real time.",
    discussion: """
      The peers run this program's real code, from received datagrams to played steps. Clocks, threads, network and \
      sound are virtual. The seed determines everything: the same command gives the same result.

      By default all peers join, the first one starts the rhythm and the others follow. With --random, peers join, leave, \
      crash, start at the same time, hand over, play notes and close gates, and the network is partitioned. Invariants \
      are checked throughout.

      A network file has one key and one number per line. delay_ms and jitter_ms are the mean and the standard deviation \
      of the delay in milliseconds, 0...10000. loss, duplicate and reorder are fractions of the packets, 0...1. burst is \
      the mean number of consecutive lost packets, 1...1000.

      EXAMPLES
        tutti simulate
        tutti simulate --peers 1000 --seconds 60
        tutti simulate --network wifi --seconds 600 --json
        tutti simulate --random --seed 17 --seconds 600
        tutti simulate --random --seeds 100
      """)

  @Option(
    help: ArgumentHelp(
      "Set the number of peers, 2...1000, with --random 2...16. (default: 4, with --random chosen by the seed)",
      valueName: "N"))
  var peers: Int?

  @Option(
    help: ArgumentHelp(
      "Use this network: still, lan, wifi, poor or a file. (default: lan, with --random chosen by the seed)",
      valueName: "NETWORK"))
  var network: String?

  @Option(help: ArgumentHelp("Simulate this many seconds of virtual time, 10...86400.", valueName: "S"))
  var seconds = 60

  @Option(help: ArgumentHelp("Use this seed.", valueName: "K"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Run N simulations with the seeds K, K+1, ...", valueName: "N"))
  var seeds: UInt64 = 1

  @Flag(help: "Run a random scenario: peers join, leave, crash and give commands at random.")
  var random = false

  @Flag(help: "Print one JSON object per seed instead of the report.")
  var json = false

  func validate() throws {
    let maximum = random ? 16 : 1000
    if let peers, !(2...maximum).contains(peers) {
      throw ValidationError("--peers \(peers): out of range; give 2 to \(maximum)\(random ? " with --random" : "")")
    }
    guard (10...86400).contains(seconds) else {
      throw ValidationError("--seconds \(seconds): out of range; give 10 to 86400")
    }
    guard (1...1_000_000).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): out of range; give 1 to 1000000")
    }
    guard seed <= .max - seeds else { throw ValidationError("--seed \(seed): too large; give a smaller seed") }
  }

  func run() throws {
    try reportingErrors {
      let table = StepTable(try PatchLibrary.load(PatchLibrary.standard))
      let network = try network.map(Self.load)
      let terminal = Terminal()
      var total = SimulationTotal()
      for seed in seed..<seed + seeds {
        let outcome = play(seed, on: network, table: table, terminal)
        terminal.clearStatus()
        total.add(outcome)
        let report = SimulationReport(outcome, command: command(for: outcome))
        if json { try printJSON(report) } else if seeds == 1 || !outcome.holds { print(report, terminator: "") }
        // Also when standard output is a file: a crash must not lose the results of the previous seeds.
        fflush(nil)
      }
      if !json, seeds > 1 { print(total, terminator: "") }
      guard total.violated == 0 else { throw ExitCode.limitMissed }
    }
  }

  /// Runs the simulation with `seed` and shows its progress. Returns its outcome.
  private func play(
    _ seed: UInt64, on network: VirtualNetwork?, table: StepTable, _ terminal: Terminal
  ) -> Outcome {
    let length = Nanoseconds.seconds(Int64(seconds))
    let world: VirtualWorld
    if random {
      world = .random(.random(seed: seed, peers: peers, network: network, table: table), length: length)
    } else {
      var settings = VirtualWorld.Settings(table: table)
      (settings.seed, settings.peers, settings.network) = (seed, peers ?? 4, network ?? .lan)
      world = .steady(settings, length: length)
    }
    var lastShown = ContinuousClock.now
    // Virtual time.
    var now = Instant(nanoseconds: 0)
    repeat {
      now = now + .milliseconds(250)
      guard terminal.isInteractive, ContinuousClock.now - lastShown > .milliseconds(200) else { continue }
      lastShown = .now
      terminal.showStatus("seed \(seed): \(now.nanoseconds / 1_000_000_000) of \(seconds) s")
    } while world.run(until: now)
    return world.outcome
  }

  /// The command that repeats the simulation of `outcome`.
  private func command(for outcome: Outcome) -> String {
    var words = ["tutti", "simulate"]
    if random { words.append("--random") }
    if let peers { words += ["--peers", "\(peers)"] }
    if let network { words += ["--network", network] }
    return (words + ["--seconds", "\(seconds)", "--seed", "\(outcome.seed)"]).joined(separator: " ")
  }

  /// A network file that cannot be read.
  struct NetworkFileError: Error, CustomStringConvertible { let description: String }

  /// Returns the network called `name`, or reads it from the file `name`.
  private static func load(_ name: String) throws -> VirtualNetwork {
    if let known = VirtualNetwork.lab.first(where: { $0.name == name }) { return known }
    guard let data = FileManager.default.contents(atPath: name) else {
      throw NetworkFileError(
        description: "network \(name): cannot be read; give still, lan, wifi, poor or a readable file")
    }
    return try VirtualNetwork(text: String(decoding: data, as: UTF8.self), file: name)
  }
}
