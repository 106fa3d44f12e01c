import Dispatch
import Engine
import Foundation

/// Reads the player's commands from standard input. On a terminal, each key is a command and is not echoed; after a colon
/// a command line is edited. From a pipe or a file, each line is a command.
final class KeyboardInput {
  private let source: any DispatchSourceRead
  private let originalSettings: termios?

  init(_ mailbox: Mailbox, on terminal: Terminal) {
    var settings = termios()
    let isTerminal = terminal.readsKeys && tcgetattr(STDIN_FILENO, &settings) == 0
    originalSettings = isTerminal ? settings : nil
    if isTerminal {
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keys"))
    let reader = KeyReader(isTerminal: isTerminal, post: mailbox.post, terminal: terminal)
    source.setEventHandler { [source] in
      var keys = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &keys, keys.count)
      guard count > 0 else { return source.cancel() }
      for key in keys.prefix(count) { reader.read(key) }
    }
    source.resume()
  }

  /// Stops reading and restores the settings of the terminal.
  func restoreTerminal() {
    source.cancel()
    if var settings = originalSettings { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
  }
}

/// Turns keys into commands and edits command lines.
private final class KeyReader: @unchecked Sendable {
  // Unchecked: all calls are made on the queue of the read source.
  /// The maximum length of a command line in octets.
  private static let maximumLength = 1024
  private let isTerminal: Bool
  private let post: (PlayerCommand) -> Void
  private let terminal: Terminal
  /// The command line that is being typed; nil while each key is a command.
  private var line: [UInt8]?

  init(isTerminal: Bool, post: @escaping (PlayerCommand) -> Void, terminal: Terminal) {
    (self.isTerminal, self.post, self.terminal) = (isTerminal, post, terminal)
    line = isTerminal ? nil : []
  }

  func read(_ key: UInt8) {
    guard var text = line else {
      if key == UInt8(ascii: ":") {
        line = []
        return terminal.prompt(":")
      }
      if let command = command(for: key) { post(command) }
      return
    }
    switch key {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      line = isTerminal ? nil : []
      terminal.prompt(nil)
      return execute(String(decoding: text, as: UTF8.self))
    case 0x7F, 0x08: _ = text.popLast()
    case 0x1B:
      line = isTerminal ? nil : []
      return terminal.prompt(nil)
    default: if text.count < Self.maximumLength { text.append(key) }
    }
    line = text
    if isTerminal { terminal.prompt(":" + String(decoding: text, as: UTF8.self)) }
  }

  private func execute(_ text: String) {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    do throws(CommandSyntaxError) { post(try PlayerCommand(text: text)) } catch { terminal.say("tutti: \(error)") }
  }
}

private func command(for key: UInt8) -> PlayerCommand? {
  switch key {
  case UInt8(ascii: " "): .startOrStop
  case UInt8(ascii: "c"): .continue
  case UInt8(ascii: "<"), UInt8(ascii: ","): .locate(bars: -1)
  case UInt8(ascii: ">"), UInt8(ascii: "."): .locate(bars: 1)
  case UInt8(ascii: "+"), UInt8(ascii: "="): .tempo(by: 1)
  case UInt8(ascii: "-"): .tempo(by: -1)
  case UInt8(ascii: "0")...UInt8(ascii: "9"): .activity(UInt8(Int(key - UInt8(ascii: "0")) * 127 / 9))
  case UInt8(ascii: "h"): .offer(to: nil)
  case UInt8(ascii: "t"): .take
  case UInt8(ascii: "\t"): .playToNext
  case UInt8(ascii: "w"): .showRoster
  case UInt8(ascii: "q"): .leave
  default: nil
  }
}
