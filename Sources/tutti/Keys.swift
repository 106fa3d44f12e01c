import Dispatch
import Engine
import Foundation

/// The player's keys, one at a time and without echo, as commands.
final class Keys {
  private let source: any DispatchSourceRead
  private let before: termios

  init(_ mailbox: Mailbox) {
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { [source] in
      var keys = [UInt8](repeating: 0, count: 64)
      let count = read(STDIN_FILENO, &keys, keys.count)
      guard count > 0 else { return source.cancel() }
      for key in keys.prefix(count) { if let command = command(for: key) { mailbox.post(command) } }
    }
    source.resume()
  }

  /// Gives the terminal back as it was.
  func restore() {
    source.cancel()
    var settings = before
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
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
  case UInt8(ascii: "q"): .leave
  default: nil
  }
}
