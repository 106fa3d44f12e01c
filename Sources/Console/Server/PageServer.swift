public import Engine
import Foundation
import MusicalTime
public import NIOCore
import NIOPosix
import Realtime
import Rhythm
import Synchronization

/// The HTTP server of the page. It accepts connections, and adds an ``HTTPHandler`` to each.
@_spi(Fuzzing) public final class PageServer: @unchecked Sendable {
  // Unchecked: everything except `newest`, `played`, `sounds` and `scores` is used on the event loop only.

  /// The maximum number of connections, and of connections from one address.
  private static let (maximumConnections, maximumPerAddress) = (512, 160)
  /// If more octets than this wait until the client of a connection reads them, the console sends the client no further frames until
  /// fewer than half of this number wait.
  private static let highWatermark = 64 << 10

  private let configuration: ConsoleConfiguration
  private let tokens: JoinTokens
  private let files: PageFiles
  private let eventLoop: any EventLoop
  private let sounds: SoundStore
  private let scores = ScoreStore()
  /// The newest snapshot that the event loop has not taken. A newer snapshot replaces it, so the control thread never waits, and snapshots
  /// do not accumulate.
  private let newest = Mutex<PeerSnapshot?>(nil)
  private let played = PlayedMessages()
  private let pages: Pages
  private var admission: Admission?
  /// The addresses of the page; nil before ``start(port:)``.
  private var address: PageAddress?
  private var notices = Notices()
  /// The sounds that were requested last.
  private var requestedSounds: SoundRequest?
  /// The patch of the newest snapshot, with its number.
  private var newestPatch: (number: UInt32, patch: Patch)?
  /// The patch before ``newestPatch``. This patch may still play until the next bar.
  private var previousPatch: Patch?
  /// The number of connections from each address.
  private var connections: [String: Int] = [:]
  private var maintenance: RepeatedTask?
  private let secureAccess: SecureAccess
  #if HTTPS
    /// The certificate of the server; nil without HTTPS.
    private let identity: TLSIdentity?
  #endif

  /// - Throws: ``EngineError`` if the certificate of the configuration cannot be used.
  @_spi(Fuzzing) public init(
    _ configuration: ConsoleConfiguration, tokens: JoinTokens, files: PageFiles, eventLoop: any EventLoop,
    mailbox: Mailbox, library: any RhythmLibrary,
    onPlayers: @escaping @Sendable (Int) -> Void, report: @escaping @Sendable (CalibrationEvent) -> Void
  ) throws(EngineError) {
    #if HTTPS
      identity = try TLSIdentity(configuration)
      secureAccess = SecureAccess(identity)
    #else
      secureAccess = SecureAccess()
    #endif
    (self.configuration, self.tokens, self.files, self.eventLoop) = (configuration, tokens, files, eventLoop)
    sounds = SoundStore(soundFont: configuration.soundFont)
    pages = Pages(mailbox: mailbox, library: library, eventLoop: eventLoop, onPlayers: onPlayers)
    pages.state.movesPages = configuration.movesPages
    pages.calibration = Calibration(
      pages: pages, microphone: configuration.microphone, mailbox: mailbox, eventLoop: eventLoop, report: report)
  }

  /// See ``SecureAccess/certifiedName``.
  var certifiedName: String? { secureAccess.certifiedName }
  /// The number of open pages, and of connections. For tests.
  @_spi(Fuzzing) public var pageCount: Int { pages.count }
  @_spi(Fuzzing) public var connectionCount: Int { connections.values.reduce(0, +) }
  /// The fingerprint of the group's certificate authority; nil if there is none.
  var authorityFingerprint: String? { secureAccess.fingerprint }

  /// Opens the port.
  func open() -> EventLoopFuture<any Channel> {
    let address = configuration.address
    return ServerBootstrap(group: eventLoop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(
        .writeBufferWaterMark, value: .init(low: Self.highWatermark / 2, high: Self.highWatermark)
      )
      .bind(host: address.host, port: address.port)
      .map { channel in
        self.start(port: channel.localAddress?.port ?? address.port)
        return channel
      }
  }

  /// Begins to admit requests. Called when the number of the port is known.
  @_spi(Fuzzing) public func start(port: Int) {
    admission = Admission(
      hosts: HostCheck(machine: configuration.machine, certified: secureAccess.names, port: port), tokens: tokens,
      isOpen: configuration.isOpen, movesPages: configuration.movesPages)
    address = PageAddress(
      configuration: configuration, tokens: tokens, certifiedName: secureAccess.certifiedName, port: port)
    maintenance = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
      self.pages.maintain(at: MonotonicClock.now)
      #if HTTPS
        self.identity?.renew()
      #endif
    }
  }

  /// Shows on the pages which notes and controls the players play, at most 50 times per second. Called by the control thread.
  func observe(_ event: PeerEvent) {
    if case .playerMoved(let player) = event.kind { return eventLoop.execute { [self] in pages.close(player) } }
    // A standard device that is no player has no identity, and its messages are not shown.
    guard case .sounded(let message, _) = event.kind, let player = event.player else { return }
    // If `add` returns false, nothing has changed, or the task below is scheduled already.
    guard played.add(message, from: player, on: event.shaped, at: event.at) else { return }
    eventLoop.scheduleTask(in: .milliseconds(20)) { [self] in
      let (state, notes) = played.take()
      pages.show(notes)
      pages.show(.partners, state)
    }
  }

  /// Shows a snapshot on all pages. Called by the control thread.
  func update(_ snapshot: PeerSnapshot) {
    played.keep(snapshot.players)
    // The old snapshot is deallocated outside of the lock. If there was one, the event loop already has a task that takes the snapshot.
    let previous = newest.withLock { exchange(&$0, with: snapshot) }
    guard previous == nil else { return }
    eventLoop.execute { [self] in
      guard let snapshot = newest.withLock({ exchange(&$0, with: nil) }) else { return }
      scores.set(snapshot.stand?.digest, snapshot.stand?.score)
      pages.show(snapshot)
      prepareSounds(of: snapshot)
    }
  }

  /// Shows a message to the player on all pages with the access ``Engine/Access/lead``. Called by any thread.
  func show(_ text: String, level: String) {
    eventLoop.execute { [self] in
      notices.add(text, level: level)
      pages.show(.notices, notices.newest)
    }
  }

  /// Starts a calibration, in which all pages click, one after another. Called by any thread.
  func calibrate() { eventLoop.execute { [self] in pages.calibrate() } }

  /// Closes all pages. Called by any thread.
  @_spi(Fuzzing) public func close() {
    eventLoop.execute { [self] in
      maintenance?.cancel()
      pages.closeAll()
    }
  }

  /// Renders the sounds of the newest patch and of the patch before it, if these sounds differ from ``requestedSounds``.
  private func prepareSounds(of snapshot: PeerSnapshot) {
    if let newestPatch, newestPatch.number != snapshot.patchNumber { previousPatch = newestPatch.patch }
    newestPatch = (snapshot.patchNumber, snapshot.patch)
    // Without a page, no sounds are needed. The instruments arrive shortly after the first page was opened.
    guard pages.count > 0, let custom = pages.customInstruments else { return }
    let request = SoundRequest([snapshot.patch] + (previousPatch.map { [$0] } ?? []), custom: custom)
    guard request != requestedSounds else { return }
    requestedSounds = request
    sounds.prepare(request) { manifest in
      self.eventLoop.execute { self.pages.show(.sounds, manifest) }
    }
  }

  /// Adds the handlers to a new connection.
  @_spi(Fuzzing) public func configure(_ channel: any Channel) throws {
    guard let admission, let address else { throw ChannelError.operationUnsupported }
    guard register(channel) else { return try channel.pipeline.syncOperations.addHandler(OverloadHandler()) }
    let (timeout, security) = (RequestTimeout(), ConnectionSecurity())
    #if HTTPS
      if let identity {
        try channel.pipeline.syncOperations.addHandler(
          TLSDetector(context: identity.context, security: security))
      }
    #endif
    try channel.pipeline.syncOperations.addHandler(timeout)
    let codec = HTTPCodec()
    try codec.add(to: channel.pipeline.syncOperations)
    try channel.pipeline.syncOperations.addHandler(
      HTTPHandler(
        codec: codec, admission: admission, address: address, files: files, sounds: sounds, scores: scores,
        pages: pages, timeout: timeout, security: security, secureAccess: secureAccess))
  }

  /// Counts a connection until it closes. Returns false if there are too many connections.
  private func register(_ channel: any Channel) -> Bool {
    let address = channel.remoteAddress?.ipAddress ?? ""
    let count = connections[address, default: 0]
    guard count < Self.maximumPerAddress, connectionCount < Self.maximumConnections else {
      return false
    }
    connections[address] = count + 1
    channel.closeFuture.whenComplete { _ in
      let count = self.connections[address, default: 1] - 1
      self.connections[address] = count > 0 ? count : nil
    }
    return true
  }
}
