public import Engine
import NIOCore
import NIOPosix

/// Serves the web page of a peer: HTTP and WebSocket on one thread of its own, at normal priority.
///
/// The console has two connections to the peer. Commands of the pages go to the peer's ``Engine/Mailbox``, at most 200 per
/// second. The control thread stores snapshots of its state in the console (``update(_:)``), which takes a few microseconds and
/// never waits for a page. No other thread of the peer is involved.
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
  ///   - onPlayers: is called with the number of pages whose player has joined after each change, by the thread of the console, which
  ///     it must not block.
  ///   - report: gets the events of calibrations, on the thread of the console.
  /// - Throws: ``EngineError`` if the port cannot be opened, if the files of the page are missing, or without a passkey for an
  ///   address that other machines can reach.
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
      throw EngineError(
        "--http \(address.host):\(address.port): cannot be opened (\(error)); choose another port, or end the program "
          + "that uses it")
    }
  }

  /// The port in use.
  public var port: Int { channel.localAddress?.port ?? configuration.address.port }

  /// The fingerprint of the group's certificate authority, in hexadecimal; nil if the page is served without HTTPS, or with the
  /// certificate of a domain. The page shows it beside the certificate to install.
  public var authorityFingerprint: String? { server.authorityFingerprint }

  /// Whether only this machine can open the page.
  public var isLocal: Bool { configuration.address.isLoopback }

  /// The address of the page for an access, with its token in the fragment. Browsers do not send the fragment to servers.
  public func address(for access: Access) -> String {
    let host = configuration.address.host
    // The certificate of the group's domain is valid for its names only, and every browser trusts it. The authority of a group is
    // trusted by devices that have its certificate, so the page itself tests HTTPS.
    let certified = server.certifiedName
    let name =
      switch host {
      case _ where certified != nil: certified ?? host
      case "0.0.0.0", "::": LocalAddresses.preferred(on: group) ?? configuration.machine
      default: host
      }
    let base = "\(certified == nil ? "http" : "https")://\(name.contains(":") ? "[\(name)]" : name):\(port)/"
    return configuration.isOpen ? base : "\(base)#token=\(tokens[access])"
  }

  /// Shows a snapshot on all pages. Called by the control thread of the peer; returns at once.
  public func update(_ snapshot: PeerSnapshot) { server.update(snapshot) }

  /// Shows the pages what players play. Called by the control thread of the peer; returns at once.
  public func observe(_ event: PeerEvent) { server.observe(event) }

  /// Shows a message to the player on all pages that lead. Returns at once.
  public func show(_ text: String, level: String) { server.show(text, level: level) }

  /// Lets all pages click in turn, and measures their delays with the microphone. Returns at once.
  public func calibrate() { server.calibrate() }

  /// Closes all connections and the port, and ends the thread.
  public func stop() {
    server.close()
    try? channel.close().wait()
    try? group.syncShutdownGracefully()
  }
}
