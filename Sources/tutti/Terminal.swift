import Foundation
import Logging
import Synchronization

/// Standard error as people see it: lines that stay, and below them one line that is written over and over.
final class Terminal: Sendable {
  let isInteractive = isatty(STDERR_FILENO) == 1
  let readsKeys = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  private let live = Mutex("")
  /// What is being typed takes the place of the live line.
  private let typed = Mutex<String?>(nil)

  /// A line that stays.
  func say(_ line: String) {
    live.withLock { live in write(isInteractive ? "\r\u{1B}[K\(line)\n\(live)" : line + "\n") }
  }

  /// The line that is written over.
  func show(_ line: String) {
    let isTyped = typed.withLock { $0 != nil }
    live.withLock { live in
      if isTyped { return }
      live = line
      write("\r\u{1B}[K" + line)
    }
  }

  /// The line that is being typed, in the place of the live line; nil: it is done.
  func prompt(_ line: String?) {
    guard isInteractive else { return }
    typed.withLock { $0 = line }
    live.withLock { live in
      live = line ?? ""
      write("\r\u{1B}[K" + live)
    }
  }

  /// Takes the live line away.
  func clear() {
    live.withLock { live in
      if !live.isEmpty { write("\r\u{1B}[K") }
      live = ""
    }
  }

  private func write(_ text: String) { writeToStandardError(text) }
}

/// Writes what there is to say. Where nobody listens any more, a closed pipe or a terminal that is gone, it is lost:
/// talk must not stop the music, and Foundation's file handle would.
func writeToStandardError(_ text: String) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}

/// Log messages as lines of the terminal: each is a sentence to the player.
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
    terminal.say(event.level >= .warning ? "tutti: \(event.message)" : "\(event.message)")
  }
}
