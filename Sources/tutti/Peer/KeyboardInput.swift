import Dispatch
import Engine
import Foundation

/// Reads standard input and passes it to ``CommandLineEditor``, which posts the player's commands. On a terminal, keys are
/// read one by one. They are not echoed if the terminal shows status lines.
final class KeyboardInput {
  private let source: any DispatchSourceRead
  /// The settings of the terminal before the start; nil if the settings were not changed, because no keys are read.
  private let originalSettings: termios?

  /// Starts to read. Commands that select a patch go to `selectors`, and those for the web page to `pages`. All other commands are
  /// posted to `mailbox`.
  init(_ mailbox: Mailbox, _ selectors: PatchSelectors, _ pages: PageConnection, on terminal: Terminal) {
    var settings = termios()
    let isTerminal = terminal.readsKeys && tcgetattr(STDIN_FILENO, &settings) == 0
    originalSettings = isTerminal ? settings : nil
    if isTerminal {
      // Disables line editing. Also disables the echo if the status lines show the typed command line.
      settings.c_lflag &= ~tcflag_t(terminal.isInteractive ? ICANON | ECHO : ICANON)
      // Disables flow control, so that Ctrl-S does not stop the output.
      settings.c_iflag &= ~tcflag_t(IXON)
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keys"))
    let editor = CommandLineEditor(
      isTerminal: isTerminal, post: mailbox.post, selectors: selectors, pages: pages, terminal: terminal)
    source.setEventHandler { [source] in
      var keys = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &keys, keys.count)
      guard count > 0 else { return source.cancel() }
      editor.read(Array(keys.prefix(count)))
    }
    source.resume()
  }

  /// Stops reading and restores the settings of the terminal.
  func restoreTerminal() {
    source.cancel()
    if var settings = originalSettings { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
  }
}
