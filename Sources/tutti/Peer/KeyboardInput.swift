import Dispatch
import Engine
import Foundation

/// Reads standard input and passes it to ``CommandLineEditor``, which posts the player's commands. On a terminal, keys are
/// read one by one. They are not echoed if the terminal shows status lines.
final class KeyboardInput {
  private let source: any DispatchSourceRead
  /// The settings of the terminal before the start; nil if the settings were not changed, because no keys are read.
  private let originalSettings: termios?

  /// Starts to read on `terminal`. `editor` gets whether standard input is a terminal, and returns the receiver of the octets.
  init(on terminal: Terminal, editor: (Bool) -> CommandLineEditor) {
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
    let editor = editor(isTerminal)
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

/// The escape sequences that a terminal sends for keys without a character, such as arrows and function keys: ESC [ and further octets
/// (control sequence, ECMA-48, section 5.4), or ESC O and one octet (single shift three, section 8.3.143). The Linux console sends F1 to
/// F5 as ESC [ [ and one octet.
///
/// The octets of these sequences must not act as keys of ``KeyBindings``. Otherwise, the up arrow (ESC [ A) would act as the key `[`,
/// and F5 (ESC [ 1 5 ~) would set the activity.
enum EscapeSequence {
  static let escape: UInt8 = 0x1B

  /// The keys that edit a command line or choose from a list.
  enum Key { case up, down, left, right, home, end, delete, pageUp, pageDown }

  /// The key of a sequence, without the Escape itself; nil for all other keys. Terminals send the arrows as ESC [ A to D or, in
  /// application mode, ESC O A to D (ECMA-48, sections 8.3.19 to 8.3.22; xterm).
  static func key(of sequence: ArraySlice<UInt8>) -> Key? {
    switch String(decoding: sequence, as: UTF8.self) {
    case "[A", "OA": .up
    case "[B", "OB": .down
    case "[C", "OC": .right
    case "[D", "OD": .left
    case "[H", "OH", "[1~": .home
    case "[F", "OF", "[4~": .end
    case "[3~": .delete
    case "[5~": .pageUp
    case "[6~": .pageDown
    default: nil
    }
  }

  /// Returns the number of octets at the start of `octets` that belong to the escape sequence, without the Escape itself; 0 if the
  /// player has pressed the Escape key.
  ///
  /// - Parameter octets: the octets that follow the Escape and arrived together with it. A terminal sends all octets of a sequence at once.
  ///   If a player types Escape and then `[`, the two octets arrive separately.
  static func length(after octets: ArraySlice<UInt8>) -> Int {
    guard let first = octets.first else { return 0 }
    switch first {
    case UInt8(ascii: "O"): return min(2, octets.count)
    case UInt8(ascii: "["):
      if octets.dropFirst().first == UInt8(ascii: "[") { return min(3, octets.count) }
      // Parameters and intermediate octets are 0x20...0x3F. The first octet outside this range ends the sequence.
      let parameters = octets.dropFirst().prefix { (0x20...0x3F).contains($0) }.count
      return min(1 + parameters + 1, octets.count)
    default: return 0
    }
  }
}
