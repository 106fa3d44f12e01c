import ArgumentParser
import Foundation
import MusicalTime
import Rhythm
import Simulation

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Let many peers play on a virtual network, faster than real time, and see how well they keep time.",
    discussion: """
      Every peer is this program from datagram to step; clocks, threads, network and sound are virtual. Everything follows \
      from the seed: the same command gives the same result. Without --evening everybody comes, the first starts the rhythm \
      and all follow. With --evening people come and go, crash, start at once, hand over, play, close gates, and the network \
      is cut in two: what must hold all the same is checked.

      A network file names a number a line: delay_ms, jitter_ms, loss, burst, duplicate, reorder.

      EXAMPLES
        tutti simulate
        tutti simulate --peers 1000 --seconds 60
        tutti simulate --network wifi --seconds 600 --json
        tutti simulate --evening --seed 17 --seconds 600
        tutti simulate --evening --seeds 100
      """)

  @Option(help: "How many peers, 2...1000; 4 unless given, with --evening 2...16 as the seed says.")
  var peers: Int?

  @Option(help: "lan, wifi, poor, still, or a file; lan unless given, with --evening as the seed says.")
  var network: String?

  @Option(help: ArgumentHelp("How long they play, 10...86400 seconds of virtual time.", valueName: "S"))
  var seconds = 60

  @Option(help: ArgumentHelp("From which number everything follows.", valueName: "K"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("How many seeds, K and those after it.", valueName: "N"))
  var seeds: UInt64 = 1

  @Flag(help: "People come and go and do what they like.")
  var evening = false

  @Flag(help: "Print one JSON object a seed instead of the report.")
  var json = false

  func validate() throws {
    let most = evening ? 16 : 1000
    if let peers, !(2...most).contains(peers) {
      throw ValidationError("--peers \(peers): out of range; give 2 to \(most)\(evening ? " with --evening" : "")")
    }
    guard (10...86400).contains(seconds) else {
      throw ValidationError("--seconds \(seconds): out of range; give 10 to 86400")
    }
    guard (1...1_000_000).contains(seeds) else {
      throw ValidationError("--seeds \(seeds): out of range; give 1 to 1000000")
    }
    guard seed <= .max - seeds else { throw ValidationError("--seed \(seed): too great; give a smaller one") }
  }

  func run() throws {
    try reportingFailures {
      let table = StepTable(try PatchLibrary.load(PatchLibrary.standard))
      let network = try network.map(Self.load)
      let terminal = Terminal()
      var total = SimulationTotal()
      for seed in seed..<seed + seeds {
        let outcome = play(seed, on: network, table: table, terminal)
        terminal.clear()
        total.add(outcome)
        let report = SimulationReport(outcome, command: command(for: outcome))
        if json { try printJSON(report) } else if seeds == 1 || !outcome.holds { print(report, terminator: "") }
        // Also where it goes to a file: what has been found is not to be lost with what is still to come.
        fflush(nil)
      }
      if !json, seeds > 1 { print(total, terminator: "") }
      guard total.violated == 0 else { throw ExitCode.domainFailure }
    }
  }

  private func play(
    _ seed: UInt64, on network: VirtualNetwork?, table: StepTable, _ terminal: Terminal
  ) -> Outcome {
    let length = Nanoseconds.seconds(Int64(seconds))
    let room: Room
    if evening {
      room = .evening(.evening(seed: seed, peers: peers, network: network, table: table), length: length)
    } else {
      var settings = Room.Settings(table: table)
      (settings.seed, settings.peers, settings.network) = (seed, peers ?? 4, network ?? .lan)
      room = .rehearsal(settings, length: length)
    }
    var shown = ContinuousClock.now
    var now = Instant(nanoseconds: 0)
    repeat {
      now = now + .milliseconds(250)
      guard terminal.isInteractive, ContinuousClock.now - shown > .milliseconds(200) else { continue }
      shown = .now
      terminal.show("seed \(seed): \(now.nanoseconds / 1_000_000_000) of \(seconds) s")
    } while room.run(until: now)
    return room.outcome
  }

  /// What plays the same again.
  private func command(for outcome: Outcome) -> String {
    var words = ["tutti", "simulate"]
    if evening { words.append("--evening") }
    if let peers { words += ["--peers", "\(peers)"] }
    if let network { words += ["--network", network] }
    return (words + ["--seconds", "\(seconds)", "--seed", "\(outcome.seed)"]).joined(separator: " ")
  }

  /// A network file cannot be read.
  struct Unreadable: Error, CustomStringConvertible { let description: String }

  private static func load(_ name: String) throws -> VirtualNetwork {
    if let known = VirtualNetwork.lab.first(where: { $0.name == name }) { return known }
    guard let data = FileManager.default.contents(atPath: name) else {
      throw Unreadable(
        description: "network \(name): no such file; give lan, wifi, poor, still, or a file that can be read")
    }
    return try VirtualNetwork(text: String(decoding: data, as: UTF8.self), file: name)
  }
}
