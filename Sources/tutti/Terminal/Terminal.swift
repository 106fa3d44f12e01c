import Foundation
import Logging
import Synchronization

/// The output of the program on standard error: permanent lines and, on a terminal, status lines below them that are
/// overwritten. No function except ``flush()`` waits for the reader of standard error.
final class Terminal: Sendable {
  /// Whether status lines are shown: true if standard error is a terminal that can move its cursor (TERM is not `dumb`), and NO_COLOR
  /// does not ask for plain text.
  let isInteractive: Bool
  /// Whether each key on standard input is a command: true if standard input and standard error are terminals.
  let readsKeys = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  /// The visible status lines. The lock also keeps the order of the output.
  private let status = Mutex(StatusBlock())
  /// The line that the user is typing. It replaces the status lines.
  private let typed = Mutex<String?>(nil)
  private let writer = OutputWriter(STDERR_FILENO) {
    "tutti: standard error: messages discarded, because nobody read them: \($0)\n"
  }

  init() {
    let environment = ProcessInfo.processInfo.environment
    isInteractive =
      isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb" && environment["NO_COLOR", default: ""].isEmpty
  }

  /// The number of columns and rows; 80 and 24 if they are not known.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }
  private var width: Int { size.columns }

  /// Prints a permanent line. On a terminal, it appears above the status lines.
  func printLine(_ line: String) {
    status.withLock { status in write(isInteractive ? status.printing(line, width: width) : line + "\n") }
  }

  /// Replaces the status lines by `line`. Has no effect while earlier output still waits for its reader, or while the user types a line.
  func showStatus(_ line: String) { showStatus([line]) }

  /// Replaces the status lines. Has no effect while earlier output still waits for its reader, or while the user types a line.
  func showStatus(_ lines: [String]) {
    guard isInteractive, writer.isIdle else { return }
    let isTyped = typed.withLock { $0 != nil }
    status.withLock { status in
      if isTyped || lines == status.lines { return }
      write(status.replace(by: lines, width: width))
    }
  }

  /// Shows the line that the user is typing in place of the status lines; nil when the line is complete.
  func prompt(_ line: String?) {
    guard isInteractive else { return }
    typed.withLock { $0 = line }
    status.withLock { status in write(status.replace(by: [line ?? ""], width: width)) }
  }

  /// Removes the status lines.
  func clearStatus() {
    status.withLock { status in
      if !status.lines.isEmpty { write(status.replace(by: [], width: width)) }
    }
  }

  /// Waits until everything is written. Gives up if the reader takes nothing for a second.
  func flush() { writer.flush() }

  /// Removes the status lines, and waits until everything is written.
  func end() {
    clearStatus()
    flush()
  }

  private func write(_ text: String) { writer.write(text) }
}

/// Passes log messages to a function. Each message is a sentence for the player.
struct LineLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level
  private let write: @Sendable (LogEvent) -> Void

  init(_ logLevel: Logger.Level, write: @escaping @Sendable (LogEvent) -> Void) {
    (self.logLevel, self.write) = (logLevel, write)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { write(event) }
}

/// The status lines at the bottom of a terminal, which are redrawn in place. The methods return the text, with control
/// sequences, that the caller must write to the terminal.
///
/// The cursor stays at the end of the last line. Before the lines are replaced, the cursor moves up to the first line. After the
/// terminal was narrowed, a long line wraps, so the number of rows depends on the current width.
///
/// The control sequences are those of ECMA-48: CUU (cursor up) and ED (erase to the end of the screen).
struct StatusBlock {
  /// The visible lines.
  private(set) var lines: [String] = []

  /// Returns the text that erases the current lines and moves the cursor to their beginning.
  private func erasing(width: Int) -> String {
    guard !lines.isEmpty else { return "" }
    let rows = lines.reduce(0) { $0 + max(1, ($1.count + width - 1) / max(1, width)) }
    return (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\r\u{1B}[J"
  }

  /// Returns the text that replaces the current lines with `new` on a terminal of `width` columns.
  mutating func replace(by new: [String], width: Int) -> String {
    defer { lines = new }
    return erasing(width: width) + new.joined(separator: "\n")
  }

  /// Returns the text that prints `line` above the current lines.
  func printing(_ line: String, width: Int) -> String {
    erasing(width: width) + line + "\n" + lines.joined(separator: "\n")
  }
}
