import ArgumentParser
import Engine
import Foundation
import Glibc

/// The subcommand `tutti passkey`.
struct PasskeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passkey",
    abstract: "Print a new random passkey for a group of peers.",
    discussion: """
      The passkey has 20 characters. Give it to all members of the group, for example on paper, and start each peer \
      with it. Peers with another passkey or none cannot connect to these peers.

      EXAMPLES
        (umask 077; tutti passkey > band.txt)    only you can read the file
        tutti peer --passkey-file band.txt
      """)

  func run() throws { print(Passkey.random()) }
}

/// Reads the passkey of the group from a file or from the terminal.
enum PasskeyInput {
  /// The maximum size of a passkey file in octets.
  private static let maximumSize = 1024

  /// Returns the passkey in `file`. Without a file, asks for the passkey on the terminal if `asks` is true, otherwise returns nil.
  ///
  /// - Throws: ``EngineError``.
  static func read(file: String?, asks: Bool) throws -> Passkey? {
    if let file { return try read(file) }
    return asks ? try ask() : nil
  }

  private static func read(_ path: String) throws -> Passkey {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    var octets = [UInt8](repeating: 0, count: maximumSize + 1)
    let count = descriptor >= 0 ? Glibc.read(descriptor, &octets, octets.count) : -1
    guard count >= 0 else {
      let reason = String(cString: strerror(errno))
      throw EngineError("passkey file \(path): \(reason); check the path and its permissions")
    }
    /// Returns the error for a file that contains no passkey.
    func unusable(_ reason: String) -> EngineError {
      EngineError(
        "passkey file \(path): \(reason); copy the file of the group, or create a new one with "
          + "`tutti passkey > FILE` and give it to all peers")
    }
    guard count <= maximumSize else { throw unusable("is longer than \(maximumSize) bytes") }
    guard let text = String(validating: octets.prefix(count), as: UTF8.self) else {
      throw unusable("is not UTF-8 text")
    }
    // Some Windows editors put a byte order mark at the beginning.
    guard let passkey = Passkey(text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text) else {
      throw unusable("is empty")
    }
    return passkey
  }

  /// Asks for the passkey on the terminal. The typed characters are not shown.
  private static func ask() throws -> Passkey {
    guard isatty(STDIN_FILENO) == 1 else {
      throw EngineError("--passkey: standard input is not a terminal; use --passkey-file")
    }
    FileHandle.standardError.write(Data("Passkey: ".utf8))
    // Ctrl-C must not end the program while the terminal hides the characters. Without ISIG, it is read as the character 3.
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw EngineError("--passkey: no terminal; use --passkey-file")
    }
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
      throw EngineError("--passkey: the terminal cannot hide the characters; use --passkey-file")
    }
    let line = readLine()
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    FileHandle.standardError.write(Data("\n".utf8))
    guard let line, !line.contains("\u{3}"), let passkey = Passkey(line) else {
      throw EngineError("--passkey: no passkey was entered; enter the text that all members of the group use")
    }
    return passkey
  }
}
