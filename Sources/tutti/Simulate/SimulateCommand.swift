import ArgumentParser
import Engine
import Foundation
import Measurement
import MusicalTime
import Rhythm
import Simulation

/// The subcommand `tutti simulate`.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate many peers on a virtual network, faster than real time.",
    usage: "tutti simulate [<options>]",
    discussion: """
      The peers run this program's real code, from received datagrams to played steps. A step is a sixteenth note of \
      the rhythm. Clocks, threads, network and sound are virtual. The seed determines everything: the same command \
      gives the same result.

      By default all peers join, the first one starts the rhythm and the others follow. With --random, peers join, \
      leave, crash, start the rhythm at the same time, hand over the role of master, play notes and close gates, and \
      the network is split into two or three parts. A gate is a setting by which a peer accepts or ignores one kind of \
      message from another peer: rhythm, notes, modification (controllers, pitch bend, pressure, programs) or \
      activity, see --gate in `tutti peer --help`.

      Also with --random, in every fourth seed (3, 7, 11 and so on), a hostile device sends datagrams with forged \
      addresses until ten seconds before the end. It knows the addresses and the identities of all peers. It does not \
      receive their packets, except in every eighth seed (3, 11, 19 and so on). There the peers have a passkey, and \
      the hostile device records their packets and sends them again.

      The program checks invariants all the time, for example that there is one master, that no step is lost and that \
      no note hangs. If an invariant is violated, the exit status is 1. The report contains a digest of the run (equal \
      digests mean equal runs) and a list of all invariants. With --seeds and without --json, only runs with a \
      violation have a report, and a summary of all runs follows.

      INVARIANTS
      A peer is disturbed when it joins, and when the network is split or reunited. A follower is settled after it has \
      followed one master for 3 s without a disturbance. Two peers are in session while they are connected.

        oneMaster  two masters are in session with each other for at most 1 s,
                   unless one has closed its rhythm gate for the other
        steps      each peer plays all steps in order and once
        phase      a settled follower plays each step at the same time as its
                   master, within a tolerance
        layers     a settled follower selects its layers by the same total
                   activity as its master, unless its activity gate is closed
        score      with --scores: a settled follower is at the same written bar of
                   the same score as its master at each step; a peer gets a
                   score that it lacks within 8 s
        failover   no rhythm ends because its master has disappeared; no peer follows
                   a master that disappeared more than 3 s ago
        activity   the total activity follows the activities of all peers within
                   0.5 s
        notes      no note sounds for more than 2 s after its key was released, or
                   7 s after its player has disappeared
        gates      a peer accepts no notes, modification or rhythm of another
                   peer for which its gate is closed
        hearing    no note of a player sounds at a peer that does not hear this
                   player, see --hear in `tutti peer --help`. In the simulation,
                   each peer hears all players except those that the scenario
                   removes
        channels   two peers in session own the same MIDI channel for at most
                   2 s; while a channel is free, each peer gets one within
                   2 s (not checked in the first 3 s after a disturbance).
                   Peers without a channel of their own share channel 16
        meeting    peers that can reach each other are in session within 15 s
        oneBand    with --bands: 6 s after the last change, all peers that are
                   connected, also through others, have one master or none,
                   follow it, and have channels of their own
        rest       no peer is in an endless loop, in which it wakes 1000 times
                   in succession for the same deadline in the past

      With more than 16 peers, oneMaster, activity, channels and meeting are not checked.

      NETWORK FILE
      Each line has the name of a setting and a number. All lines are optional. The rest of a line is a comment.

        delay_ms 8       mean delay in ms, 0...10000 (default: 0)
        jitter_ms 3      standard deviation of the delay, 0...10000 (default: 0)
        loss 0.05        fraction of packets that are lost, 0...1 (default: 0)
        burst 4          mean number of consecutive losses, 1...1000 (default: 1)
        duplicate 0.001  fraction of packets that arrive twice (default: 0)
        reorder 0.02     fraction of packets that are overtaken (default: 0)

      EXAMPLES
        tutti simulate
        tutti simulate --peers 1000 --seconds 60
        tutti simulate --network wifi --seconds 600 --json
        tutti simulate --random --seed 17 --seconds 600
        tutti simulate --random --seeds 100
        tutti simulate --random --scores --seeds 100
        tutti simulate --bands --seeds 100
      """)

  @Option(
    help: ArgumentHelp(
      "Set the number of peers, 2...1000, with --random 2...16. (default: 4; with --random, the seed chooses)",
      valueName: "N"))
  var peers: Int?

  @Option(
    help: ArgumentHelp(
      "Use this network: still (0.1 ms delay, no loss), lan (0.5 ms, no loss), wifi (5 ms, 1 % loss), poor (5 ms, some "
        + "packets much later, 3 % loss) or a file. (default: lan; with --random, the seed chooses)",
      valueName: "NETWORK"))
  var network: String?

  @Option(help: ArgumentHelp("Simulate this many seconds of virtual time, 10...86400.", valueName: "S"))
  var seconds = 60

  @Option(help: ArgumentHelp("Set the seed of the simulation; with --seeds, of the first simulation.", valueName: "K"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Run N simulations, 1...1000000. The first one has seed K, the next one K+1, and so on.", valueName: "N"))
  var seeds: UInt64 = 1

  @Flag(help: "Run a random scenario instead of one master and its followers.")
  var random = false

  @Flag(help: "With --random, let the peers also play random scores, jump, repeat bars and change their tempo.")
  var scores = false

  @Flag(
    help:
      "Run a random scenario of 3...12 peers in which each peer knows the addresses of some others only, and not all reach each other."
  )
  var bands = false

  @Flag(help: "Print one JSON object for every seed, with or without a violation, instead of text.")
  var json = false

  func validate() throws {
    guard random || !scores else { throw ValidationError("--scores: has an effect only with --random; give both") }
    guard !random || !bands else { throw ValidationError("--random and --bands: give only one of them") }
    let (minimum, maximum, condition) =
      bands ? (3, 12, " with --bands") : random ? (2, 16, " with --random") : (2, 1000, "")
    if let peers { try check("--peers", peers, in: minimum...maximum, "\(minimum) to \(maximum)\(condition)") }
    try check("--seconds", seconds, in: 10...86400, "10 to 86400")
    try check("--seeds", seeds, in: 1...1_000_000, "1 to 1000000")
    guard seed <= .max - seeds else {
      throw ValidationError("--seed \(seed): too large; give at most \(UInt64.max - seeds)")
    }
  }

  func run() throws {
    // This patch has fills and hits by chance. All simulated peers must make the same random choices.
    let table = StepTable(try PatchLibrary.rhythm("boom-bap"))
    let network = try network.map(Self.load)
    let terminal = Terminal()
    var total = SimulationTotal()
    for seed in seed..<seed + seeds {
      let outcome = play(seed, on: network, table: table, terminal)
      terminal.end()
      total.add(outcome)
      let report = SimulationReport(outcome, command: command(for: outcome))
      // With several seeds, only the reports of seeds with a violated invariant are printed.
      if json { try printJSON(report) } else if seeds == 1 || !outcome.holds { print(report, terminator: "") }
      // A crash must not lose the results of the previous seeds.
      fflush(nil)
    }
    if !json, seeds > 1 { print(total, terminator: "") }
    guard total.violated == 0 else { throw ExitCode.invariantViolated }
  }

  /// Runs the simulation with `seed` and shows its progress. Returns its outcome.
  private func play(
    _ seed: UInt64, on network: NetworkModel?, table: StepTable, _ terminal: Terminal
  ) -> Outcome {
    let length = Nanoseconds.seconds(Int64(seconds))
    let world: VirtualWorld
    if bands {
      world = .bands(.bands(seed: seed, peers: peers, network: network, table: table), length: length)
    } else if random {
      world = .random(
        .random(seed: seed, peers: peers, network: network, hasScores: scores, table: table), length: length)
    } else {
      var settings = VirtualWorld.Settings(table: table)
      (settings.seed, settings.peers, settings.network) = (seed, peers ?? 4, network ?? .lan)
      world = .steady(settings, length: length)
    }
    var lastShown = ContinuousClock.now
    // The virtual time up to which the simulation runs. Each pass of the loop adds 250 ms.
    var now = Instant(nanoseconds: 0)
    repeat {
      now = now + .milliseconds(250)
      if terminal.isInteractive, ContinuousClock.now - lastShown > .milliseconds(200) {
        lastShown = .now
        terminal.showStatus("seed \(seed): \(now.nanoseconds / 1_000_000_000) of \(seconds) s")
      }
    } while world.run(until: now)
    return world.outcome
  }

  /// The command that repeats the simulation of `outcome`.
  private func command(for outcome: Outcome) -> String {
    var words = ["tutti", "simulate"]
    if random { words.append("--random") }
    if scores { words.append("--scores") }
    if bands { words.append("--bands") }
    if let peers { words += ["--peers", "\(peers)"] }
    if let network { words += ["--network", network] }
    return (words + ["--seconds", "\(seconds)", "--seed", "\(outcome.seed)"]).joined(separator: " ")
  }

  /// Returns the network called `name`, or reads it from the file `name`.
  private static func load(_ name: String) throws -> NetworkModel {
    if let known = NetworkModel.lab.first(where: { $0.name == name }) { return known }
    let text = try readText(
      of: name, "network", ifUnreadable: "give `still`, `lan`, `wifi`, `poor` or the path of a readable file",
      ifTooLarge: "give a text file with the settings of a network")
    return try NetworkModel(text: text, file: name)
  }
}
