import Foundation
import Testing
import _TestSupport

/// `tutti` on a pseudo-terminal, and the screen that it draws.
final class TerminalSession {
  /// The file descriptor of the test's end of the pseudo-terminal.
  let terminal: Int32
  /// The file descriptor of the program's end of the pseudo-terminal.
  let program: Int32
  let child: Child
  var screen: TerminalScreen
  /// All that the program has written so far.
  private(set) var output = ""

  init(
    columns: Int, in folder: TemporaryFolder, environment: [String: String] = [:], _ arguments: [String]
  ) throws {
    var (terminal, program): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&terminal, &program, nil, nil, &size) == 0)
    (self.terminal, self.program) = (terminal, program)
    _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
    screen = TerminalScreen(columns: columns)
    // `ttyname` would return a buffer that all threads share. Tests run at the same time.
    var octets = [CChar](repeating: 0, count: 64)
    try #require(ttyname_r(program, &octets, octets.count) == 0)
    let name = String(decoding: octets.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The environment of the test may contain NO_COLOR. An empty value has no effect.
    child = try Child.tutti(
      arguments,
      prefix: ["sh", "-c", "exec \"$@\" <\(name) >\(name) 2>\(name)", "sh"],
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 }, in: folder)
  }

  deinit {
    close(terminal)
    close(program)
  }

  /// Changes the width of the pseudo-terminal and of ``screen``.
  func resize(columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    screen.resize(columns: columns)
  }

  func type(_ keys: String) { _ = keys.withCString { write(terminal, $0, strlen($0)) } }

  /// Draws on ``screen`` what the program has written since the last call.
  func update() {
    var octets = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(terminal, &octets, octets.count)
      guard count > 0 else { return }
      let text = String(decoding: octets.prefix(count), as: UTF8.self)
      output += text
      screen.write(text)
    }
  }

  /// Waits until a line of the screen contains `text`.
  func wait(for text: String) async throws {
    try await child.wait(for: "to show \(text)") {
      update()
      return screen.text.contains { $0.contains(text) }
    }
  }
}
