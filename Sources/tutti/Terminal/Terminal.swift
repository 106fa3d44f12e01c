import Engine
import Foundation
import Logging
import Synchronization
import Text

/// The output of the program on standard error: permanent lines and, on a terminal, status lines below them that are
/// overwritten. No function except ``flush()`` waits for the reader of standard error.
///
/// Below the status lines stands the line that the user is typing. A help page or a list to choose from takes the place of all status
/// lines but the first one, which shows the beat. It fills the alternate screen of the terminal, so that the lines above the status are the
/// same as before when it closes.
final class Terminal: Sendable {
  /// Whether status lines are shown: true if standard error is a terminal that can move its cursor (TERM is not `dumb`).
  let isInteractive: Bool
  /// Whether colours may be used: not with NO_COLOR (no-color.org).
  let hasColours: Bool
  /// Whether each key on standard input is a command: true if standard input and standard error are terminals.
  let readsKeys = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  /// Whether the terminal has an alternate screen, as all have that are in use today, except the console of Linux.
  private let hasAlternateScreen: Bool
  /// What is visible. The lock also keeps the order of the output.
  private let screen = Mutex(Screen())
  private let writer = OutputWriter(STDERR_FILENO) {
    "tutti: standard error: messages discarded, because nobody read them: \($0)\n"
  }

  private struct Screen {
    var block = StatusBlock()
    var status: [String] = []
    /// What takes the place of the status lines after the first one.
    var overlay: [String]?
    var typed: TypedLine?
    /// Whether the alternate screen is visible, and the text that was printed since then.
    var isAlternate = false
    var printed = ""

    /// The lines for a terminal of this size, and how many columns the cursor stands before the end of the last line. The last row and the
    /// last column stay empty: some terminals begin a new line when they are filled.
    func lines(_ size: (columns: Int, rows: Int)) -> (lines: [String], cursor: Int) {
      let (width, rows) = (max(1, size.columns - 1), max(1, size.rows - 1))
      var lines = overlay.map { status.prefix(1) + $0 } ?? status[...]
      lines = lines.prefix(max(0, rows - (typed == nil ? 0 : 1)))
      guard let typed else { return (lines.map { $0.prefix(columns: width) }, 0) }
      let (text, cursor) = typed.visible(columns: width)
      return (lines.map { $0.prefix(columns: width) } + [text], cursor)
    }
  }

  init() {
    let terminal = environmentVariable("TERM")
    isInteractive = isatty(STDERR_FILENO) == 1 && terminal != "dumb"
    hasColours = isInteractive && (environmentVariable("NO_COLOR") ?? "").isEmpty
    hasAlternateScreen = terminal != "linux"
  }

  /// The number of columns and rows; 80 and 24 if they are not known.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Prints a permanent line. On a terminal, it appears above the status lines, broken between words.
  func printLine(_ line: String) { printLines(isInteractive ? line.wrapped(toColumns: size.columns - 1) : [line]) }

  /// Prints permanent lines that are not broken, such as those of a QR code.
  func printLines(_ lines: [String]) {
    let text = lines.joined(separator: "\n")
    screen.withLock { screen in
      if screen.isAlternate { screen.printed += text + "\n" }
      write(isInteractive ? screen.block.printing(text, width: size.columns) : text + "\n")
    }
  }

  /// Replaces the status lines by `line`. Has no effect while earlier output still waits for its reader.
  func showStatus(_ line: String) { showStatus([line]) }

  /// Replaces the status lines. Has no effect while earlier output still waits for its reader.
  func showStatus(_ lines: [String]) {
    guard isInteractive, writer.isIdle else { return }
    draw { screen in
      if lines == screen.status { return false }
      screen.status = lines
      return true
    }
  }

  /// Shows the line that the user is typing below the status lines; nil when the line is complete.
  func prompt(_ line: TypedLine?) {
    draw { screen in
      screen.typed = line
      return true
    }
  }

  /// Shows lines in place of the status lines after the first one; nil shows the status again.
  func showOverlay(_ lines: [String]?) {
    draw { screen in
      screen.overlay = lines
      return true
    }
  }

  /// Removes the status lines and what the user is typing.
  func clearStatus() {
    draw { screen in
      let isVisible = !screen.block.lines.isEmpty || screen.isAlternate
      (screen.status, screen.overlay, screen.typed) = ([], nil, nil)
      return isVisible
    }
  }

  /// Changes what is visible, and draws it if the change says so.
  private func draw(_ change: (inout Screen) -> Bool) {
    guard isInteractive else { return }
    screen.withLock { screen in
      guard change(&screen) else { return }
      if hasAlternateScreen, screen.isAlternate != (screen.overlay != nil) { switchScreen(&screen) }
      let (lines, cursor) = screen.lines(size)
      write(screen.block.replace(by: lines, cursor: cursor, width: size.columns))
    }
  }

  /// Shows the alternate screen, or the former screen with what was printed in the meantime. The control sequences are those of xterm:
  /// 1049 keeps the former screen and its cursor.
  private func switchScreen(_ screen: inout Screen) {
    write(screen.block.replace(by: [], cursor: 0, width: size.columns))
    screen.isAlternate.toggle()
    write(screen.isAlternate ? "\u{1B}[?1049h\u{1B}[H\u{1B}[2J" : "\u{1B}[?1049l" + screen.printed)
    screen.printed = ""
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
/// The cursor stays in the last row of the last line. Before the lines are replaced, the cursor moves up to the first line. After the
/// terminal was narrowed, a long line wraps, so the number of rows depends on the current width.
///
/// The control sequences are those of ECMA-48: CUU (cursor up), CUB (cursor left) and ED (erase to the end of the screen).
struct StatusBlock {
  /// The visible lines.
  private(set) var lines: [String] = []
  /// How many columns the cursor stands before the end of the last line.
  private var cursor = 0

  /// Returns the text that erases the current lines and moves the cursor to their beginning.
  private func erasing(width: Int) -> String {
    guard !lines.isEmpty else { return "" }
    let rows = lines.reduce(0) { $0 + max(1, ($1.columns + width - 1) / max(1, width)) }
    return (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\r\u{1B}[J"
  }

  /// Returns the text that writes the current lines.
  private var drawing: String { lines.joined(separator: "\n") + (cursor > 0 ? "\u{1B}[\(cursor)D" : "") }

  /// Returns the text that replaces the current lines with `new` on a terminal of `width` columns, and places the cursor `cursor` columns
  /// before the end of the last one.
  mutating func replace(by new: [String], cursor: Int, width: Int) -> String {
    let text = erasing(width: width)
    (lines, self.cursor) = (new, cursor)
    return text + drawing
  }

  /// Returns the text that prints `text` above the current lines.
  func printing(_ text: String, width: Int) -> String { erasing(width: width) + text + "\n" + drawing }
}
