import ArgumentParser
import Foundation
import Hostility

@main
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Feed hostile inputs to RTP-MIDI, by the million.",
    discussion: """
      Nothing may trap, hang or grow. A line a second on standard error tells how far it is; one that does not come tells \
      of a hang, and at which input. Exit status: 0 when all went well, 1 when not, that of a signal when it trapped.

      EXAMPLE
        fuzz packets --inputs 10000000 --seed 1
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable { case packets, sessions }

  @Argument(
    help: "packets: RTP packets and their journals, to a receiver; sessions: datagrams of all kinds, to an endpoint.")
  var kind: Kind

  @Option(help: ArgumentHelp("How many.", valueName: "N"))
  var inputs = 10_000_000

  @Option(help: ArgumentHelp("The same inputs for the same seed.", valueName: "K"))
  var seed: UInt64 = 1

  func validate() throws {
    guard inputs > 0 else { throw ValidationError("--inputs \(inputs): nothing to feed; give one or more") }
  }

  func run() throws {
    let fuzzer: any Fuzzer =
      switch kind {
      case .packets: PacketFuzzer(seed: seed)
      case .sessions: SessionFuzzer(seed: seed)
      }
    let start = Date()
    var told = 0
    var given = 0
    // What is taken in the beginning is taken for good: tables, buffers, the runtime's own.
    let warm = min(100_000, inputs)
    var before = residentMemory
    while given < inputs {
      // As many as take a moment.
      let count = min(1000, given < warm ? warm - given : inputs - given)
      do {
        try fuzzer.run(inputs: count)
      } catch {
        say("\(kind.rawValue): \(error)")
        throw ExitCode(1)
      }
      given += count
      if given == warm { before = residentMemory }
      guard Int(Date().timeIntervalSince(start)) > told else { continue }
      told = Int(Date().timeIntervalSince(start))
      say("\(kind.rawValue): \(given) inputs, \(residentMemory >> 10) KiB; \(fuzzer.account)")
    }
    let after = residentMemory
    let grown = after - before
    let time = String(format: "%.1f", Date().timeIntervalSince(start))
    let passed = grown <= 32 << 20
    print("\(kind.rawValue): seed \(seed), \(inputs) inputs in \(time) s; \(fuzzer.account)")
    print("resident: \(before >> 10) KiB after \(warm) inputs, \(after >> 10) KiB at the end")
    print("RESULT fuzz-\(kind.rawValue) \(passed ? "pass" : "fail") figure=\(grown >> 10)KiB limit=32768KiB")
    guard passed else { throw ExitCode(1) }
  }

  private func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

  /// Octets of this process in memory.
  private var residentMemory: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
