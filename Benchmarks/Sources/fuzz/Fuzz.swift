import ArgumentParser
import Foundation
import _TestSupport

@main
struct Fuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Feed millions of hostile inputs to the decoders and state machines of a peer.",
    discussion: """
      No input may make the implementation trap, hang or grow. Standard error shows the progress once per second; if a line \
      is missing, the program hangs at the next input. Exit status: 0 passed, 1 failed, the status of a signal after a trap.

      EXAMPLE
        fuzz packets --inputs 10000000 --seed 1
        fuzz http --inputs 100000 --peer ../.build/release/tutti
      """)

  /// The maximum permitted growth of the resident memory in octets: 32 MiB.
  private static let maximumGrowth = 32 << 20

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case packets, sessions, handshake, receiver, messages, state, scores, http
  }

  @Argument(
    help: """
      Feed RTP packets with journals to the receiver of one stream (packets), datagrams of all kinds to an endpoint \
      (sessions), the same to an endpoint with a passkey (handshake), packets and commands to the receiving half of \
      several sessions (receiver), System Exclusive messages to a peer in session (messages), files to the decoder of \
      saved sessions (state), damaged scores to the readers of MusicXML, MIDI files and the compact form (scores), \
      or HTTP requests and WebSocket frames to the server of the web page (http).
      """
  )
  var kind: Kind

  @Option(help: ArgumentHelp("Feed this many inputs.", valueName: "N"))
  var inputs = 10_000_000

  @Option(help: ArgumentHelp("Use this seed; the same seed gives the same inputs.", valueName: "K"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("http: send the inputs over TCP to two peers of this program `tutti`.", valueName: "PROGRAM"))
  var peer: String?

  func validate() throws {
    guard peer == nil || kind == .http else {
      throw ValidationError("--peer: has no effect on \(kind.rawValue); omit it")
    }
    guard inputs > 0 else { throw ValidationError("--inputs \(inputs): out of range; give 1 or more") }
  }

  func run() throws {
    let fuzzer: any Fuzzer =
      switch kind {
      case .packets: PacketFuzzer(seed: seed)
      case .sessions: SessionFuzzer(seed: seed)
      case .handshake: SessionFuzzer(seed: seed, hasPasskey: true)
      case .receiver: ReceiverFuzzer(seed: seed)
      case .messages: MessageFuzzer(seed: seed)
      case .state: try StateFuzzer(seed: seed)
      case .scores: ScoreFuzzer(seed: seed)
      case .http:
        if let peer { try PeerFuzzer(seed: seed, program: peer) } else { try HTTPFuzzer(seed: seed) }
      }
    let start = Date()
    var reportedSeconds = 0
    var completed = 0
    // Memory that is allocated during the first inputs, for tables, buffers and the Swift runtime, does not count as growth.
    let warmUp = min(100_000, inputs)
    var before = residentMemory
    while completed < inputs {
      // Small batches, so that the progress is reported on time.
      let count = min(1000, completed < warmUp ? warmUp - completed : inputs - completed)
      do {
        try fuzzer.run(inputs: count)
      } catch {
        printError("\(kind.rawValue): \(error)")
        throw ExitCode(1)
      }
      completed += count
      if completed == warmUp { before = residentMemory }
      guard Int(Date().timeIntervalSince(start)) > reportedSeconds else { continue }
      reportedSeconds = Int(Date().timeIntervalSince(start))
      printError("\(kind.rawValue): \(completed) inputs, \(residentMemory >> 10) KiB; \(fuzzer.account)")
    }
    let after = residentMemory
    let growth = after - before
    let time = String(format: "%.1f", Date().timeIntervalSince(start))
    let passed = growth <= Self.maximumGrowth
    print("\(kind.rawValue): seed \(seed), \(inputs) inputs in \(time) s; \(fuzzer.account)")
    print("resident memory: \(before >> 10) KiB after \(warmUp) inputs, \(after >> 10) KiB at the end")
    print("RESULT fuzz-\(kind.rawValue) \(passed ? "pass" : "fail") figure=\(growth >> 10)KiB limit=32768KiB")
    guard passed else { throw ExitCode(1) }
  }

  private func printError(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

  /// The resident memory of this process in octets.
  private var residentMemory: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
