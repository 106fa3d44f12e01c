import Engine
import Foundation
import Measurement

/// Starts the peers of the demo. Each peer is a process of this program.
enum DemoProcess {
  /// The folder for the identities of the demo's peers, so that they do not use the identities of the user's peers. Other users
  /// cannot predict the name of the folder.
  static let state = FileManager.default.temporaryDirectory.appendingPathComponent("tutti-demo-\(UUID())")

  /// Starts `tutti peer` with `arguments`.
  ///
  /// - Parameters:
  ///   - log: the path of the file for the messages of the peer.
  ///   - input: the standard input of the process, a `Pipe` or a `FileHandle`.
  ///   - output: the standard output of the process, a `Pipe` or a `FileHandle`.
  /// - Throws: `EngineError` if the log cannot be written or the process cannot be started.
  static func start(
    _ arguments: [String], log path: String, input: Any = FileHandle.nullDevice, output: Any = FileHandle.nullDevice
  ) throws -> Process {
    let process = Process()
    let program = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    process.executableURL = program
    process.environment = ProcessInfo.processInfo.environment.merging(["XDG_STATE_HOME": state.path]) { $1 }
    process.arguments = ["peer", "--discovery", "off"] + arguments
    process.standardInput = input
    process.standardOutput = output
    let log: FileHandle
    do {
      let file = URL(fileURLWithPath: path)
      try Data().write(to: file)
      log = try FileHandle(forWritingTo: file)
    } catch {
      throw EngineError("\(path): cannot be written (\(error.reason)); give --output a writable folder")
    }
    process.standardError = log
    do { try process.run() } catch {
      throw EngineError(
        "\(program.path): cannot be started (\(error.reason)); close other programs, or build it again with `swift build -c release`"
      )
    }
    return process
  }

  /// Ends processes: by SIGTERM, and after five seconds by SIGKILL.
  static func end(_ processes: [Process]) {
    for process in processes where process.isRunning { process.terminate() }
    let deadline = Date(timeIntervalSinceNow: 5)
    while processes.contains(where: \.isRunning), Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
    for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    for process in processes { process.waitUntilExit() }
  }

  /// The error message for a process that has failed: the last line of its log. Nil if it has not failed.
  static func failure(of process: Process, named name: String, log path: String) -> String? {
    guard !process.isRunning, process.terminationStatus != 0 || process.terminationReason != .exit else { return nil }
    let log = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let last = log.split(separator: "\n").last.map { $0.replacing("tutti: ", with: "") }
    return "\(name): \(last ?? "ended with status \(process.terminationStatus); see \(path)")"
  }
}
