import Engine
import Realtime

/// Turns the octets of standard input into commands. On a terminal, each octet is a key of ``KeyBindings``, but a colon begins a command
/// line. Return runs the command line, and Escape discards it. Input from a pipe or a file consists of command lines only.
final class CommandLineEditor: @unchecked Sendable {
  // @unchecked Sendable: all calls are made on the dispatch queue of ``KeyboardInput``.

  /// The maximum length of a command line in octets.
  private static let maximumLength = 1024
  /// Whether each octet outside a command line is a key. True if standard input and standard error are terminals.
  private let isTerminal: Bool
  /// Sends a command to the peer.
  private let post: (PlayerCommand) -> Void
  private let rhythms: PatchSelector
  private let instruments: PatchSelector
  private let pages: PageConnection
  private let terminal: Terminal
  /// The command line that is being typed; nil while each key is a command.
  private var line: [UInt8]?
  /// The tempo that the player taps with the key ``KeyBindings/tap``.
  private var taps = TapTempo()

  init(
    isTerminal: Bool, post: @escaping (PlayerCommand) -> Void, rhythms: PatchSelector, instruments: PatchSelector,
    pages: PageConnection, terminal: Terminal
  ) {
    (self.isTerminal, self.post, self.rhythms, self.instruments) = (isTerminal, post, rhythms, instruments)
    (self.pages, self.terminal) = (pages, terminal)
    line = isTerminal ? nil : []
  }

  /// Handles octets that arrived together. On a terminal, the escape sequences of keys without a character, such as arrows, have no
  /// effect.
  func read(_ octets: [UInt8]) {
    var rest = octets[...]
    while let key = rest.popFirst() {
      let length = isTerminal && key == EscapeSequence.escape ? EscapeSequence.length(after: rest) : 0
      if length > 0 { rest.removeFirst(length) } else { read(key) }
    }
  }

  /// Handles one octet.
  private func read(_ key: UInt8) {
    guard var text = line else {
      // No command line is being typed: the octet is a key.
      if key == UInt8(ascii: ":") {
        line = []
        return terminal.prompt(":")
      }
      if key == KeyBindings.nextPatch { rhythms.selectNext() }
      if key == KeyBindings.nextInstrument { instruments.selectNext() }
      if key == KeyBindings.tap, let tempo = taps.tap(at: MonotonicClock.now) { post(.setTempo(tempo)) }
      if let command = KeyBindings.command(for: key) { post(command) }
      return
    }
    switch key {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      line = isTerminal ? nil : []
      terminal.prompt(nil)
      return execute(String(decoding: text, as: UTF8.self))
    // Backspace removes a character: its last octet, and all octets before it up to the first one. In UTF-8, 10xxxxxx is not a first octet.
    case 0x7F, 0x08: while let octet = text.popLast(), octet & 0xC0 == 0x80 {}
    case EscapeSequence.escape:
      line = isTerminal ? nil : []
      return terminal.prompt(nil)
    default: if text.count < Self.maximumLength { text.append(key) }
    }
    line = text
    if isTerminal { terminal.prompt(":" + String(decoding: text, as: UTF8.self)) }
  }

  /// Executes the command line `text`, or prints a syntax error. A blank line has no effect.
  private func execute(_ text: String) {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    do {
      switch try Command(text: text) {
      case .player(let command): post(command)
      case .selectScore(nil): post(.score(nil))
      case .selectScore(let name?): post(.score(try ScoreOptions.choice(of: name)))
      case .selectRhythm(let name): rhythms.select(name)
      case .selectInstrument(let name): instruments.select(name)
      case .saveRhythm(let name): post(.savePatch(to: try PatchLibrary.newPath(of: name)))
      case .calibrate:
        guard let console = pages.console else {
          return terminal.printLine("tutti: calibrate: this peer has no web page; start it with --http")
        }
        console.calibrate()
      // Only pages send this command.
      case .clicking: break
      }
    } catch {
      terminal.printLine("tutti: \(error)")
    }
  }
}
