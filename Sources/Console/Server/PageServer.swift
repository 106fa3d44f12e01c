import Engine
import Foundation
import MusicalTime
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Realtime
import Rhythm

/// Accepts connections and connects them with the pages.
final class PageServer: @unchecked Sendable {
  // Unchecked: everything except `slot`, `played` and `sounds` is used on the event loop only.

  /// The maximum number of connections, and of those from one address.
  private static let (maximumConnections, maximumPerAddress) = (512, 160)
  /// The limits of a request in octets and fields.
  private static let (maximumFieldSize, maximumHeaderSize, maximumFields) = (4096, 16_384, 64)
  /// A connection whose reader has this number of octets outstanding gets nothing further.
  private static let highWatermark = 64 << 10

  private let configuration: ConsoleConfiguration
  private let tokens: JoinTokens
  private let files: PageFiles
  private let eventLoop: any EventLoop
  private let sounds: SoundStore
  private let slot = SnapshotSlot()
  private let played = PlayedMessages()
  private let pages: Pages
  private var admission: Admission?
  private var notices = Notices()
  private var requestedSounds: SoundRequest?
  /// The newest patch with its number, and the one before, which may play until the next bar.
  private var newestPatch: (number: UInt32, patch: Patch)?
  private var previousPatch: Patch?
  private var connections: [String: Int] = [:]
  private var maintenance: RepeatedTask?

  init(
    _ configuration: ConsoleConfiguration, tokens: JoinTokens, files: PageFiles, eventLoop: any EventLoop,
    mailbox: Mailbox, library: any RhythmLibrary, onPlayers: @escaping @Sendable (Int) -> Void
  ) {
    (self.configuration, self.tokens, self.files, self.eventLoop) = (configuration, tokens, files, eventLoop)
    sounds = SoundStore(soundFont: configuration.soundFont)
    pages = Pages(mailbox: mailbox, library: library, eventLoop: eventLoop, onPlayers: onPlayers)
  }

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

  private func start(port: Int) {
    admission = Admission(
      hosts: HostCheck(machine: configuration.machine, port: port), tokens: tokens, isOpen: configuration.isOpen)
    maintenance = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
      self.pages.maintain(at: MonotonicClock.now)
    }
  }

  /// Shows the pages what players play. Called by the control thread.
  func observe(_ event: PeerEvent) {
    guard case .sounded(let message, let player) = event.kind else { return }
    // A device without Tutti has no identity.
    if player != nil, player?.identity == nil { return }
    guard played.add(message, from: player?.identity) else { return }
    eventLoop.execute { [self] in
      if pages.state.set(.partners, json: played.take()) { pages.update([.partners]) }
    }
  }

  /// Shows a snapshot on all pages. Called by the control thread.
  func update(_ snapshot: PeerSnapshot) {
    played.keep(snapshot.members)
    guard slot.put(snapshot) else { return }
    eventLoop.execute { [self] in
      guard let snapshot = slot.take() else { return }
      pages.show(snapshot)
      prepareSounds(of: snapshot)
    }
  }

  /// Shows a message on all pages that lead. Called by any thread.
  func show(_ text: String, level: String) {
    eventLoop.execute { [self] in
      notices.add(text, level: level)
      if pages.state.set(.notices, json: notices.newest) { pages.update([.notices]) }
    }
  }

  /// Closes all pages. Called by any thread.
  func close() {
    eventLoop.execute { [self] in
      maintenance?.cancel()
      pages.closeAll()
    }
  }

  /// Renders the sounds of the newest patch and of the one before if they have changed.
  private func prepareSounds(of snapshot: PeerSnapshot) {
    if let newestPatch, newestPatch.number != snapshot.patchNumber { previousPatch = newestPatch.patch }
    newestPatch = (snapshot.patchNumber, snapshot.patch)
    // The manifest is not needed before the first page.
    guard pages.count > 0 else { return }
    let request = SoundRequest([snapshot.patch] + (previousPatch.map { [$0] } ?? []))
    guard request != requestedSounds else { return }
    requestedSounds = request
    sounds.prepare(request) { manifest in
      self.eventLoop.execute {
        if self.pages.state.set(.sounds, json: manifest) { self.pages.update([.sounds]) }
      }
    }
  }

  /// Sets up the handlers of a new connection.
  private func configure(_ channel: any Channel) throws {
    guard register(channel) else { throw ChannelError.operationUnsupported }
    let timeout = RequestTimeout()
    try channel.pipeline.syncOperations.addHandler(timeout)
    let bound = NIOLoopBound(timeout, eventLoop: eventLoop)
    let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
      maxFrameSize: Frame.maximumLength,
      shouldUpgrade: { channel, request in
        channel.eventLoop.makeSucceededFuture(self.upgradeHeaders(for: request, from: channel))
      },
      upgradePipelineHandler: { channel, request in
        channel.eventLoop.makeCompletedFuture {
          bound.value.end()
          let access = self.access(of: request, from: channel)
          try channel.pipeline.syncOperations.addHandler(PageHandler(access: access, pages: self.pages))
        }
      })
    let upgrades = NIOTypedHTTPServerUpgradeConfiguration<Void>(
      upgraders: [upgrader],
      notUpgradingCompletionHandler: { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let admission = self.admission else { throw ChannelError.operationUnsupported }
          try channel.pipeline.syncOperations.addHandler(
            HTTPHandler(admission: admission, files: self.files, sounds: self.sounds, timeout: bound.value))
        }
      })
    var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrades)
    pipeline.decoderConfiguration.maxHeaderFieldSize = Self.maximumFieldSize
    pipeline.decoderConfiguration.maxHeaderListSize = Self.maximumHeaderSize
    pipeline.decoderConfiguration.maxHeaderFieldCount = Self.maximumFields
    _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: pipeline)
  }

  /// Counts a connection. Returns false if there are too many.
  private func register(_ channel: any Channel) -> Bool {
    let address = channel.remoteAddress?.ipAddress ?? ""
    let count = connections[address, default: 0]
    guard count < Self.maximumPerAddress, connections.values.reduce(0, +) < Self.maximumConnections else {
      return false
    }
    connections[address] = count + 1
    channel.closeFuture.whenComplete { _ in
      let count = self.connections[address, default: 1] - 1
      self.connections[address] = count > 0 ? count : nil
    }
    return true
  }

  /// The headers of the response to a WebSocket request; nil if it is refused.
  private func upgradeHeaders(for request: HTTPRequestHead, from channel: any Channel) -> HTTPHeaders? {
    guard let admission, request.uri == "/socket", admission.hosts.admits(request.headers),
      request.headers[canonicalForm: "sec-websocket-protocol"].contains(Substring(Admission.subprotocol)),
      case .admitted = admission.decide(request.headers, from: channel.remoteAddress?.ipAddress ?? "")
    else { return nil }
    return ["Sec-WebSocket-Protocol": Admission.subprotocol]
  }

  /// The access of a request that was admitted.
  private func access(of request: HTTPRequestHead, from channel: any Channel) -> Access {
    let decision = admission?.decide(request.headers, from: channel.remoteAddress?.ipAddress ?? "")
    if case .admitted(let access) = decision { return access }
    return .play
  }
}
