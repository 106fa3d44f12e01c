import ArgumentParser
import Console
import Engine
import Foundation

/// Options for the web page of the peer.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve a web page that shows and controls the ensemble and has instruments to play. Without ADDRESS, only this machine "
        + "can open the page. An ADDRESS that other machines can reach, such as 0.0.0.0, requires --passkey-file, --passkey or "
        + "--http-open. The port 0 uses any free port.",
      valueName: "[ADDRESS:]PORT"))
  var http: String?

  @Flag(help: "Let anyone who can open the page of --http control this peer. A passkey has no effect on the page.")
  var httpOpen = false

  func validate() throws {
    if let http { try usage { () throws(EngineError) in try ListenAddress(http) } }
    if httpOpen, http == nil {
      throw ValidationError("--http-open: has no effect without --http; add --http, or omit --http-open")
    }
  }

  /// Opens the page; nil without --http.
  ///
  /// - Throws: `EngineError`.
  func open(_ peer: PeerConfiguration, mailbox: Mailbox, rhythms: PatchSelector) throws -> WebConsole? {
    guard let http else { return nil }
    let configuration = ConsoleConfiguration(
      address: try ListenAddress(http), key: peer.passkey, isOpen: httpOpen,
      machine: ProcessInfo.processInfo.hostName, soundFont: peer.soundFont)
    return try WebConsole(configuration, mailbox: mailbox, library: PageRhythms(selector: rhythms))
  }
}
