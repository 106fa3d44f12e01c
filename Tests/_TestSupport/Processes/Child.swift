import Foundation
import Synchronization

/// A process that a test has started. The output of the process goes to files, so that the process never waits for a reader.
/// The process is killed when the object is released.
public final class Child {
  private let process = Process()
  private let input = Pipe()
  private let name: String
  /// The reference keeps the folder until the object is released.
  private let folder: TemporaryFolder
  private let outputPath: String
  private let errorPath: String
  /// Only one process starts at a time. Foundation detects the end of a process by a socket that the process inherits: the socket closes
  /// when the process ends. The socket has no close-on-exec flag. Without the lock, another process that starts at the same time could
  /// inherit the socket too. The end would then be detected only when both processes have ended.
  private static let start = Mutex(())

  /// Starts `program` with `folder` as its working folder. The standard input stays open until ``closeInput()``, or until the test
  /// process ends. A program that uses the variables of the XDG Base Directory Specification keeps its state and its settings in
  /// `folder`, not in the home folder of the user.
  ///
  /// - Parameters:
  ///   - name: the name of the process in error messages and of its output files.
  ///   - environment: environment variables that are added to those of the test process, or replace them.
  public init(
    _ program: String, _ arguments: [String], name: String, in folder: TemporaryFolder,
    environment: [String: String] = [:]
  ) throws {
    self.name = name
    self.folder = folder
    (outputPath, errorPath) = (folder.path(name + ".output"), folder.path(name + ".error"))
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // Of two values for the same variable, the later one applies.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["XDG_STATE_HOME": folder.path("state"), "XDG_CONFIG_HOME": folder.path("config"), "PYTHONUNBUFFERED": "1"]
    ) { _, later in later }.merging(environment) { _, later in later }
    process.currentDirectoryURL = folder.url
    process.standardInput = input
    let files = (output: try Self.file(outputPath), errors: try Self.file(errorPath))
    process.standardOutput = files.output
    process.standardError = files.errors
    // A child inherits the signal mask of the thread that starts it. The tests run on threads of Dispatch, which block all
    // signals, so the child would block them too. The present thread therefore blocks no signal while it starts the child.
    var (none, mask) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    try Self.start.withLock { _ in try process.run() }
    // The child has its own descriptors of the two files. Hundreds of children run at the same time. If their descriptors stay open,
    // this process has more than 1350 of them, and `Process.run` can crash. It copies 256 octets of each name in /proc/self/fd, and thus
    // reads beyond the end of the buffer of readdir(3) (swift-corelibs-foundation, pull request 5472).
    try files.output.close()
    try files.errors.close()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  public var isRunning: Bool { process.isRunning }
  /// The standard output so far.
  public var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
  /// The standard error so far.
  public var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }
  /// The last line of the standard error.
  public var lastError: String { errors.split(separator: "\n").last.map(String.init) ?? "no error message" }

  /// Writes a line to the standard input.
  public func type(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }
  /// Closes the standard input: the process reads the end of the file.
  public func closeInput() { try? input.fileHandleForWriting.close() }
  /// Sends SIGINT, as Ctrl-C does.
  public func interrupt() { process.interrupt() }
  public func signal(_ number: Int32) { kill(process.processIdentifier, number) }
  public var identifier: Int32 { process.processIdentifier }

  /// The longest wait of a test for another process. Only a process that never does what the test waits for takes so long, however
  /// busy the machine is. A time that Tutti promises is tested with the instants that the program itself reports.
  public static let patience = Duration.seconds(300)

  /// Waits until the process has ended. Returns the exit status, or the negative number of the signal that ended the process.
  ///
  /// - Throws: ``TookTooLong``.
  public func status() async throws -> Int32 {
    try await wait(for: "to end") { !isRunning }
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Waits until `isDone` returns true.
  ///
  /// - Parameter what: the awaited state in the error message, such as "to be ready".
  /// - Throws: ``TookTooLong``.
  public func wait(for what: String, until isDone: () throws -> Bool) async throws {
    let end = ContinuousClock.now + Self.patience
    while try !isDone() {
      guard ContinuousClock.now < end else {
        throw TookTooLong(
          description: "\(name): took more than \(Self.patience) \(what); its standard error: \(errors)")
      }
      try await pause(for: .milliseconds(20))
    }
  }

  /// The error if the process has not reached an awaited state in time.
  public struct TookTooLong: Error, CustomStringConvertible { public let description: String }

  /// Creates the file at `path` for writing. An existing file is replaced.
  private static func file(_ path: String) throws -> FileHandle {
    try Data().write(to: URL(fileURLWithPath: path))
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }
}
