import Engine
import Foundation

/// Reads the passkey of the group from a file or from the terminal.
enum PasskeyInput {
  /// The maximum size of a passkey file in octets.
  private static let maximumSize = 1024

  /// Returns nil if neither a file is given nor the terminal is to be asked.
  ///
  /// - Throws: ``EngineError``.
  static func read(file: String?, asks: Bool) throws -> Passkey? {
    if let file { return try read(file) }
    return asks ? try ask() : nil
  }

  private static func read(_ path: String) throws -> Passkey {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw EngineError("passkey file \(path): \(String(cString: strerror(errno))); check the path")
    }
    let data = (try? handle.read(upToCount: maximumSize + 1)) ?? Data()
    guard data.count <= maximumSize, let text = String(data: data, encoding: .utf8), let passkey = Passkey(text) else {
      throw EngineError(
        "passkey file \(path): contains no text of at most \(maximumSize) octets; write one with `tutti passkey > FILE`"
      )
    }
    return passkey
  }

  /// Asks on the terminal. The characters are not shown.
  private static func ask() throws -> Passkey {
    guard isatty(STDIN_FILENO) == 1 else {
      throw EngineError("--passkey: standard input is not a terminal; use --passkey-file")
    }
    FileHandle.standardError.write(Data("Passkey: ".utf8))
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    let line = readLine()
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    FileHandle.standardError.write(Data("\n".utf8))
    guard let passkey = line.flatMap({ Passkey($0) }) else {
      throw EngineError("--passkey: no passkey was entered; enter the text that all members of the group use")
    }
    return passkey
  }
}
