import Engine
import Foundation
import MusicalTime
import Synchronization
import Transports

/// The peers of the demo. Each peer is a process on loopback.
final class DemoPeers {
  /// The name of a peer and the paths of its files.
  struct Files {
    var name: String
    var recording: String
    var trace: String
    var log: String
  }

  let files: [Files]
  private let processes: [Process]
  /// The activity of the first peer; nil if it stays the same.
  private let ramp: ActivityRamp?
  /// The state folder of all peers.
  private let state: URL
  /// Standard input of the first peer.
  private let input = Pipe()
  /// The newest activity that the first peer was given.
  private var activity: UInt8 = 0

  /// Starts all peers. Each peer invites the peers with higher numbers. The first peer starts the rhythm.
  ///
  /// - Parameters:
  ///   - ticks: the length of the rhythm.
  ///   - hasSoundCard: whether the first peer also plays through the default sound card.
  init(_ demo: DemoCommand, tempo: Tempo, ticks: Int64, hasSoundCard: Bool) throws {
    ramp = demo.activity == nil ? ActivityRamp(ticks: ticks) : nil
    let ports = try Self.freePorts(demo.peers)
    files = (1...demo.peers).map { n in
      let stem = "\(demo.output)/peer-\(n)"
      return Files(name: "peer \(n)", recording: stem + ".wav", trace: stem + ".trace", log: stem + ".log")
    }
    // Identities of the demo are kept apart from those of the user's peers.
    state = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tutti-demo-\(ProcessInfo.processInfo.processIdentifier)")
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_STATE_HOME"] = state.path
    // The length of the rhythm: the due time of its end, if it starts at 0.
    let duration = Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0)).deadline(Tick(ticks))
    let program = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    var started: [Process] = []
    do {
      for (n, files) in files.enumerated() {
        let process = Process()
        process.executableURL = program
        process.environment = environment
        process.arguments =
          [
            "peer", "--name", files.name, "--port", "\(ports[n])", "--discovery", "off", "--patch", demo.patch,
            // The total activity is the activity of the first peer.
            "--activity", n == 0 ? "\(demo.activity ?? 0)" : "0",
            "--audio", "wav:\(files.recording)", "--trace", files.trace,
          ] + ports[(n + 1)...].flatMap { ["--connect", "127.0.0.1:\($0)"] }
          + (n == 0
            ? [
              "--start", "--bpm", "\(demo.bpm)", "--duration",
              String(format: "%.9f", Double(duration.nanoseconds) / 1e9),
            ]
            : []) + (n == 0 && hasSoundCard ? ["--audio", "alsa"] : [])
        if n == 0 { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        process.standardOutput = FileHandle.nullDevice
        _ = FileManager.default.createFile(atPath: files.log, contents: nil)
        guard let log = FileHandle(forWritingAtPath: files.log) else {
          throw EngineError("\(files.log): cannot be written; give --output a writable folder")
        }
        process.standardError = log
        do { try process.run() } catch {
          throw EngineError("\(program.path): cannot be started; check the file and close other programs")
        }
        started.append(process)
      }
    } catch {
      for process in started { process.terminate() }
      throw error
    }
    processes = started
  }

  /// Changes the activity of the first peer until the rhythm ends or the user presses Ctrl-C, then ends all processes.
  ///
  /// - Parameter onProgress: called every 20 ms with the position of the rhythm, nil before it begins.
  /// - Returns: whether the user interrupted the demo.
  func play(onProgress: (DemoPosition?) -> Void) -> Bool {
    let interrupt = Flag()
    let signals = TerminationSignals { interrupt.isRaised.store(true, ordering: .relaxed) }
    defer { signals.cancel() }
    // The first process ends when the rhythm ends. Any other process ends only if it fails.
    while processes[0].isRunning, !interrupt.isRaised.load(ordering: .relaxed), processes.allSatisfy(\.isRunning) {
      let position = DemoPosition(trace: files[0].trace)
      if let ramp, let position { setActivity(ramp.value(at: position.tick)) }
      onProgress(position)
      Thread.sleep(forTimeInterval: 0.02)
    }
    for process in processes where process.isRunning { process.terminate() }
    let deadline = Date(timeIntervalSinceNow: 5)
    while processes.contains(where: \.isRunning), Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
    for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    for process in processes { process.waitUntilExit() }
    try? FileManager.default.removeItem(at: state)
    return interrupt.isRaised.load(ordering: .relaxed)
  }

  /// One error message for each peer that failed: the last line of its log.
  var failures: [String] {
    zip(processes, files).compactMap { process, files in
      guard process.terminationStatus != 0 || process.terminationReason != .exit else { return nil }
      let log = (try? String(contentsOfFile: files.log, encoding: .utf8)) ?? ""
      let last = log.split(separator: "\n").last.map { $0.replacing("tutti: ", with: "") }
      return "\(files.name): \(last ?? "ended with status \(process.terminationStatus); see \(files.log)")"
    }
  }

  /// Sets the activity of the first peer by a command, unless it has this activity already.
  private func setActivity(_ activity: UInt8) {
    guard activity != self.activity else { return }
    self.activity = activity
    // The process may have ended in the meantime. SIGPIPE is ignored, so this is an error that can be ignored, too.
    try? input.fileHandleForWriting.write(contentsOf: Data("activity \(activity)\n".utf8))
  }

  /// Returns the control ports of `count` free pairs of ports. Each pair stays open until all are found, so that none is found
  /// twice.
  ///
  /// The pairs are below 32768. Linux gives programs that ask for any port only those above it (ip(7), ip_local_port_range),
  /// and so cannot give one of the pairs to another program before its peer has started.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    var pairs: [PortPair] = []
    defer { for pair in pairs { pair.close() } }
    for port: UInt16 in stride(from: 10_000, to: 32_768, by: 2).shuffled() where pairs.count < count {
      if let pair = try? PortPair(port: port) { pairs.append(pair) }
    }
    guard pairs.count == count else { throw EngineError("UDP ports: no \(count) free pairs; close other programs") }
    return pairs.map(\.control.port)
  }

  /// A flag that the signal handler raises.
  private final class Flag: Sendable {
    let isRaised = Atomic<Bool>(false)
  }
}
