public import Engine
import Glibc
import NIOCore
import NIOPosix

/// Serves the web page of a peer: HTTP and WebSocket on one thread of its own, at normal priority.
///
/// Data flows in two directions. Commands of the pages go to the peer's ``Engine/Mailbox``, at most 200 per second. The control thread
/// of the peer passes snapshots (``update(_:)``) and events (``observe(_:)``) to the console. Each of these calls takes a few
/// microseconds and never waits for a page. No other thread of the peer is involved.
///
/// Real-time: not safe.
public final class WebConsole: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let server: PageServer
  private let channel: any Channel
  private let configuration: ConsoleConfiguration
  private let tokens: JoinTokens

  /// Opens the port and begins to serve.
  ///
  /// - Parameters:
  ///   - mailbox: receives the commands of the pages.
  ///   - library: the rhythms that the pages offer.
  ///   - onPlayers: is called with the number of pages whose player has joined, after each change of this number. The thread of the
  ///     console makes the call, so the function must not block.
  ///   - report: is called with the events of calibrations. The thread of the console makes the call, so the function must not block.
  /// - Throws: ``EngineError`` if the port cannot be opened, if the files of the page are missing, or if the certificate cannot be used.
  ///   Also if other machines can reach the address, but there is no passkey and ``ConsoleConfiguration/isOpen`` is false.
  public init(
    _ configuration: ConsoleConfiguration, mailbox: Mailbox, library: any RhythmLibrary,
    onPlayers: @escaping @Sendable (Int) -> Void,
    report: @escaping @Sendable (CalibrationEvent) -> Void = { _ in }
  ) throws(EngineError) {
    let address = configuration.address
    guard address.isLoopback || configuration.key != nil || configuration.isOpen else {
      throw EngineError(
        "--http \(address.host): other machines can reach this address, but there is no passkey; add --passkey-file, or "
          + "--http-open to let everybody control this peer")
    }
    (self.configuration, tokens) = (configuration, JoinTokens(key: configuration.key))
    let (group, tokens) = (group, tokens)
    do {
      server = try PageServer(
        configuration, tokens: tokens, files: try PageFiles(), eventLoop: group.next(), mailbox: mailbox,
        library: library, onPlayers: onPlayers, report: report)
      channel = try server.open().wait()
    } catch let error as EngineError {
      try? group.syncShutdownGracefully()
      throw error
    } catch {
      try? group.syncShutdownGracefully()
      let code = (error as? IOError)?.errnoCode
      let remedy =
        switch code {
        case EADDRNOTAVAIL: "give 0.0.0.0:\(address.port), or an address of this machine (`ip address`)"
        case EACCES: "choose a port above 1023"
        default: "choose another port, or end the program that uses it"
        }
      let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
      throw EngineError("--http \(address.host):\(address.port): cannot be opened (\(reason)); \(remedy)")
    }
  }

  /// The port in use.
  public var port: Int { channel.localAddress?.port ?? configuration.address.port }

  /// The port that this peer reports to the other peers of the group, because their pages may move to this peer. Nil if pages may not
  /// move, or if other machines cannot reach this port.
  public var sharedPort: UInt16? {
    configuration.movesPages && !configuration.address.isLoopback ? UInt16(exactly: port) : nil
  }

  /// The fingerprint of the group's certificate authority, in hexadecimal; nil if the page is served without HTTPS, or with the
  /// certificate of a domain. The page shows the fingerprint beside the certificate to install.
  public var authorityFingerprint: String? { server.authorityFingerprint }

  /// Whether only this machine can open the page.
  public var isLocal: Bool { address.isLocal }

  /// The URL of the page for an access, with the join token in the fragment. Browsers do not send the fragment to servers.
  public func address(for access: Access) -> String { address[access] }

  private var address: PageAddress {
    PageAddress(configuration: configuration, tokens: tokens, certifiedName: server.certifiedName, port: port)
  }

  /// Shows a snapshot on all pages. Called by the control thread of the peer; returns at once.
  public func update(_ snapshot: PeerSnapshot) { server.update(snapshot) }

  /// Shows on the pages what the players play. Called by the control thread of the peer; returns at once.
  public func observe(_ event: PeerEvent) { server.observe(event) }

  /// Shows a message to the player on all pages with the access ``Engine/Access/lead``. `level` is `info`, `notice`, `warning` or `error`.
  /// Returns at once.
  public func show(_ text: String, level: String) { server.show(text, level: level) }

  /// Starts a calibration: all pages click, one after another, and the peer measures their delays with its microphone. Returns at once.
  public func calibrate() { server.calibrate() }

  /// Closes all connections and the port, and ends the thread.
  public func stop() {
    server.close()
    try? channel.close().wait()
    try? group.syncShutdownGracefully()
  }
}
