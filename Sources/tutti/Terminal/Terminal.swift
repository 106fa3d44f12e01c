import Foundation
import Logging
import Synchronization

/// Standard error: permanent lines and, on a terminal, one status line below them that is overwritten. No function except
/// ``flush()`` waits for the reader of standard error.
final class Terminal: Sendable {
  /// Whether the status line is shown.
  let isInteractive = isatty(STDERR_FILENO) == 1
  /// Whether each key on standard input is a command.
  let readsKeys = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  /// The visible status line, or the line that the user is typing. The lock also keeps the order of the output.
  private let status = Mutex("")
  /// The line that the user is typing. It replaces the status line.
  private let typed = Mutex<String?>(nil)
  private let writer = OutputWriter(STDERR_FILENO) {
    "tutti: standard error: \($0) messages were discarded, because nobody read them\n"
  }

  /// Prints a permanent line. On a terminal, it overwrites the status line, which is then shown again below it.
  func printLine(_ line: String) {
    // Carriage return and "erase to the end of the line" (ECMA-48, EL).
    status.withLock { status in write(isInteractive ? "\r\u{1B}[K\(line)\n\(status)" : line + "\n") }
  }

  /// Overwrites the status line, unless earlier output still waits for its reader.
  func showStatus(_ line: String) {
    guard writer.isIdle else { return }
    let isTyped = typed.withLock { $0 != nil }
    status.withLock { status in
      if isTyped { return }
      status = line
      write("\r\u{1B}[K" + line)
    }
  }

  /// Shows the line that the user is typing in place of the status line; nil when the line is complete.
  func prompt(_ line: String?) {
    guard isInteractive else { return }
    typed.withLock { $0 = line }
    status.withLock { status in
      status = line ?? ""
      write("\r\u{1B}[K" + status)
    }
  }

  /// Removes the status line.
  func clearStatus() {
    status.withLock { status in
      if !status.isEmpty { write("\r\u{1B}[K") }
      status = ""
    }
  }

  /// Waits until everything is written, as long as the reader takes at least some of it per second.
  func flush() { writer.flush() }

  private func write(_ text: String) { writer.write(text) }
}

/// Prints log messages as permanent lines. Each message is a sentence for the player.
struct TerminalLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info
  private let terminal: Terminal

  init(_ terminal: Terminal) { self.terminal = terminal }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    terminal.printLine(event.level >= .warning ? "tutti: \(event.message)" : "\(event.message)")
  }
}
