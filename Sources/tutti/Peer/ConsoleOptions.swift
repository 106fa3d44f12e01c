import ArgumentParser
import Console
import Engine
import Foundation

/// Options for a web page.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve a web page that shows and controls the ensemble and has instruments to play. Without ADDRESS, only this machine "
        + "can open the page; with 0.0.0.0, phones can open it, too. The port 0 uses any free port.",
      valueName: "[ADDRESS:]PORT"))
  var http: String?

  @Flag(help: "Let anyone who can open the page of --http control this peer. A passkey has no effect on the page.")
  var httpOpen = false

  func validate() throws {
    _ = try usage { () throws(EngineError) in try address }
    if httpOpen, http == nil {
      throw ValidationError("--http-open: has no effect without --http; add --http, or omit --http-open")
    }
  }

  /// The address of --http; nil without the option.
  ///
  /// - Throws: `EngineError` if it is not an address.
  var address: ListenAddress? {
    get throws(EngineError) {
      guard let http else { return nil }
      return try ListenAddress(http)
    }
  }

  /// Opens the page; nil without --http.
  ///
  /// - Parameter onPlayers: see `WebConsole`.
  /// - Throws: `EngineError`.
  func open(
    _ peer: PeerConfiguration, mailbox: Mailbox, rhythms: PatchSelector, onPlayers: @escaping @Sendable (Int) -> Void
  ) throws -> WebConsole? {
    guard let address = try address else { return nil }
    let configuration = ConsoleConfiguration(
      address: address, key: peer.passkey, isOpen: httpOpen, machine: ProcessInfo.processInfo.hostName,
      soundFont: peer.soundFont)
    return try WebConsole(
      configuration, mailbox: mailbox, library: PageRhythms(selector: rhythms), onPlayers: onPlayers)
  }
}
