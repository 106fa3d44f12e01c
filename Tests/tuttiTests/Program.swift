import Foundation
import Testing

/// The built program, run as a user would run it.
enum Program {
  /// Beside the test bundle in the build folder.
  static var path: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("tutti").path
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs it to its end.
  static func run(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws -> Outcome {
    let running = try Running(arguments, in: folder, environment: environment)
    return try running.wait(60)
  }

  /// A program that is running.
  final class Running: @unchecked Sendable {
    private let process = Process()
    private let output: URL
    private let errors: URL
    private let ended = DispatchSemaphore(value: 0)

    init(
      _ arguments: [String], in folder: String, environment: [String: String] = [:], prefix: [String] = []
    ) throws {
      let command = prefix + [Program.path] + arguments
      output = URL(fileURLWithPath: "\(folder)/\(UUID().uuidString).out")
      errors = URL(fileURLWithPath: "\(folder)/\(UUID().uuidString).err")
      for file in [output, errors] { try Data().write(to: file) }
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["XDG_STATE_HOME": folder + "/state", "TUTTI_PATCHES": Self.patches]
      ) { $1 }.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      process.terminationHandler = { [ended] _ in ended.signal() }
      try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// What it has written to its standard output up to now.
    var written: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end; kills it when that takes too long.
    func wait(_ seconds: Double) throws -> Outcome {
      if ended.wait(timeout: .now() + seconds) == .timedOut {
        kill(process.processIdentifier, SIGKILL)
        _ = ended.wait(timeout: .now() + 5)
        Issue.record("\(process.arguments ?? []) did not end within \(seconds) s")
      }
      return Outcome(
        status: process.terminationStatus, output: written,
        errors: (try? String(contentsOf: errors, encoding: .utf8)) ?? "")
    }

    private static var patches: String {
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Patches").path
    }
  }
}

/// Gives `body` a folder of its own, which is removed afterwards.
func withFolder(_ body: (String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tutti-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder.path)
}
