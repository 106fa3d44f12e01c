import Foundation

/// A process that a test has started. What it writes goes to files, so that it never waits for a reader. It is killed with its
/// `Child`.
final class Child {
  private let process = Process()
  private let input = Pipe()
  private let name: String
  private let outputPath: String
  private let errorPath: String

  /// Starts `program`. Its standard input stays open until ``closeInput()``, or until this process is no more; its state and
  /// settings are those of nobody, in `folder`.
  init(_ program: String, _ arguments: [String], name: String, in folder: TemporaryFolder) throws {
    self.name = name
    (outputPath, errorPath) = (folder.path(name + ".output"), folder.path(name + ".error"))
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["XDG_STATE_HOME": folder.path("state"), "XDG_CONFIG_HOME": folder.path("config"), "PYTHONUNBUFFERED": "1"]
    ) { $1 }
    process.standardInput = input
    process.standardOutput = try Self.file(outputPath)
    process.standardError = try Self.file(errorPath)
    // A child inherits the thread's signal mask, and Dispatch blocks all signals in its own threads, which run the tests.
    var (none, mask) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var isRunning: Bool { process.isRunning }
  /// What it has written so far.
  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }
  /// Why it failed, as far as its last line says so.
  var lastError: String { errors.split(separator: "\n").last.map(String.init) ?? "it does not say why" }

  func closeInput() { try? input.fileHandleForWriting.close() }
  func interrupt() { process.interrupt() }

  /// Waits until it has ended; gives its exit status, or minus the signal that ended it.
  ///
  /// - Throws: ``TookTooLong``.
  func status(within limit: Duration) async throws -> Int32 {
    try await wait(for: "to end", within: limit) { !isRunning }
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Waits until `isDone` holds.
  ///
  /// - Throws: ``TookTooLong``.
  func wait(for what: String, within limit: Duration, until isDone: () throws -> Bool) async throws {
    let end = ContinuousClock.now + limit
    while try !isDone() {
      guard ContinuousClock.now < end else {
        throw TookTooLong(description: "\(name): took more than \(limit) \(what); it says: \(errors)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  struct TookTooLong: Error, CustomStringConvertible { let description: String }

  private static func file(_ path: String) throws -> FileHandle {
    try Data().write(to: URL(fileURLWithPath: path))
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }
}
