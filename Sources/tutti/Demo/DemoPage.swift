import Engine
import Foundation
import Measurement

/// The web page of the demo. A separate peer without sound serves the page. A phone that joins by the page is one more player.
final class DemoPage {
  private static let name = "phone"
  /// The subject of error messages. With the peer's name `phone` as the subject, a user would think that a telephone has failed.
  private static let subject = "web page"

  /// The addresses of the page. ``PageAddresses/lead`` equals ``PageAddresses/play``, because no page can control the rhythm of the demo.
  let addresses: PageAddresses
  /// The command-line options with which the other peers connect to the peer of the page.
  let connection: [String]
  /// The number of players who have joined by the page and not left.
  private(set) var players = 0
  /// The largest value of ``players``.
  private(set) var maximumPlayers = 0

  private let process: Process
  private let log: String
  /// The file to which the peer writes its events. Each reading continues after the last octet that was read.
  private let events: FileHandle
  /// The beginning of an event whose end was not read yet.
  private var incomplete = Data()

  /// Starts the peer and waits until it serves the page; nil without --http.
  ///
  /// - Throws: `EngineError` if the page cannot be served.
  init?(_ demo: DemoCommand) throws {
    guard let http = demo.web.http, let address = try demo.web.address else { return nil }
    log = "\(demo.output)/\(Self.name).log"
    var access = demo.web.httpOpen ? ["--http-open"] : []
    do {
      try FileManager.default.createDirectory(
        at: DemoProcess.state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw EngineError(
        "folder \(DemoProcess.state.path): cannot be created (\(error.reason)); set TMPDIR to a writable folder")
    }
    if !address.isLoopback, !demo.web.httpOpen {
      // Nobody needs to type this passkey, because the addresses of the page contain join tokens.
      let passkey = DemoProcess.state.appendingPathComponent("passkey.txt")
      try Passkey.random().write(to: passkey, atomically: false, encoding: .utf8)
      access = ["--passkey-file", passkey.path]
    }
    let output = DemoProcess.state.appendingPathComponent("\(Self.name).events")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    events = try FileHandle(forReadingFrom: output)
    process = try DemoProcess.start(
      // Only the first peer may start and stop the rhythm, because the table compares the other peers with the first one.
      [
        "--name", Self.name, "--port", "0", "--audio", "none", "--activity", "0", "--led-by", DemoPeers.name(1),
        "--json", "--http", http,
      ] + access, log: log, output: try FileHandle(forWritingTo: output))
    var ready: (port: UInt16, play: String, fingerprint: String?)?
    var port: UInt16 = 0
    while ready == nil {
      guard process.isRunning else {
        let failure = DemoProcess.failure(of: process, named: Self.subject, log: log)
        throw EngineError(failure ?? "\(Self.subject): the program that serves it ended too early; see \(log)")
      }
      for event in Self.takeEvents(events, &incomplete) {
        port = event.port ?? port
        if let play = event.play { ready = (port, play, event.fingerprint) }
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
    guard let ready else { return nil }
    addresses = PageAddresses(
      lead: ready.play, play: ready.play, isLocal: address.isLoopback, fingerprint: ready.fingerprint)
    // The other peers need the passkey, if there is one. The option --http-open concerns only the peer that serves the page.
    connection = (demo.web.httpOpen ? [] : access) + ["--connect", "127.0.0.1:\(ready.port)"]
  }

  /// Reads the new events of the peer. Returns whether ``players`` has changed.
  func update() -> Bool {
    let previous = players
    for event in Self.takeEvents(events, &incomplete) {
      players = event.players ?? players
      maximumPlayers = max(maximumPlayers, players)
    }
    return players != previous
  }

  /// Waits until a player has joined, the user has pressed Enter, standard input has ended, the peer has failed, or `isInterrupted`
  /// returns true.
  func wait(until isInterrupted: () -> Bool) {
    while players == 0, process.isRunning, !isInterrupted() {
      _ = update()
      var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 20) > 0 else { continue }
      var octets = [UInt8](repeating: 0, count: 256)
      let count = read(STDIN_FILENO, &octets, octets.count)
      if count <= 0 || octets.prefix(count).contains(UInt8(ascii: "\n")) { return }
    }
  }

  /// Ends the peer.
  func end() { DemoProcess.end([process]) }

  /// The error message if the peer has failed.
  var failure: String? { DemoProcess.failure(of: process, named: Self.subject, log: log) }

  /// The fields of the events of `tutti peer --json` that the demo needs.
  private struct Event: Decodable {
    /// The control port of the peer.
    var port: UInt16?
    /// The address of the page for players who do not control the rhythm.
    var play: String?
    /// The fingerprint of the group's certificate authority; nil without one.
    var fingerprint: String?
    /// The number of players who have joined by the page.
    var players: Int?
  }

  /// Returns the events that were written to `file` since the last call. The beginning of an unfinished line is kept in
  /// `incomplete` for the next call.
  private static func takeEvents(_ file: FileHandle, _ incomplete: inout Data) -> [Event] {
    incomplete += (try? file.readToEnd()) ?? Data()
    var lines = incomplete.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    incomplete = Data(lines.removeLast())
    return lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0)) }
  }
}
