@_spi(Fuzzing) import Console
import Engine
import NIOCore
import NIOEmbedded
import Rhythm
import _TestSupport

/// A fuzzer of the server of the web page, without sockets: each connection has the handlers of a real one, on an event loop with
/// virtual time. An input is a request or a frame. Half of the servers need a token.
///
/// The invariants:
///
/// - Every complete request has a complete response at once. A request that stays incomplete ends the connection in time.
/// - An invalid frame ends the connection with a close frame.
/// - A page is registered only while its connection is open.
/// - An honest page still gets its frame `welcome`.
final class HTTPFuzzer: Fuzzer {
  /// After this number of connections, a new server begins, because the limits of a server hold for real time.
  private static let connectionsPerServer = 256
  private static let port = 8080

  private let seed: UInt64
  private let files: PageFiles
  private var random: SplitMix
  private var (loop, server): (EmbeddedEventLoop, PageServer)
  private var generator: ConnectionGenerator
  private var requests: RequestGenerator
  /// The number of inputs that ``run(inputs:)`` should have fed.
  private var target = 0
  private var (inputs, connections) = (0, 0)
  private var (opened, refused, closed) = (0, 0, 0)

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix(seed: seed)
    files = try PageFiles()
    (loop, server, requests) = try Self.server(isOpen: true, files)
    generator = ConnectionGenerator(seed: seed, requests: requests)
  }

  var account: String {
    "connections \(connections), pages \(opened), closed by a close frame \(closed), refused requests \(refused)"
  }

  func run(inputs count: Int) throws(FuzzFailure) {
    target += count
    while inputs < target {
      do {
        if connections % Self.connectionsPerServer == 0 { try beginServer() }
        try feed(generator.next())
        if connections % 64 == 0 { try openHonestPage() }
      } catch {
        throw FuzzFailure("\(error)", seed: seed, input: inputs)
      }
    }
  }

  private struct Violation: Error, CustomStringConvertible { let description: String }

  private struct NoRhythms: RhythmLibrary {
    func readCards(_ deliver: @escaping @Sendable ([RhythmCard]) -> Void) { deliver([]) }
    func readInstruments(_ deliver: @escaping @Sendable ([(file: String, instrument: Instrument)]) -> Void) {
      deliver([])
    }
    func select(_ name: String) {}
  }

  /// Creates a server, and the generator of requests for it.
  private static func server(isOpen: Bool, _ files: PageFiles) throws -> (
    EmbeddedEventLoop, PageServer, RequestGenerator
  ) {
    let (loop, tokens) = (EmbeddedEventLoop(), JoinTokens(key: nil))
    let configuration = ConsoleConfiguration(
      address: try ListenAddress("127.0.0.1:\(port)"), key: nil, isKeyStrong: false, isOpen: isOpen, certificate: nil,
      machine: "studio", soundFont: "", microphone: Microphone(device: nil, latency: nil))
    let server = try PageServer(
      configuration, tokens: tokens, files: files, eventLoop: loop, mailbox: Mailbox(), library: NoRhythms(),
      onPlayers: { _ in }, report: { _ in })
    server.start(port: port)
    let valid = isOpen ? [] : [tokens[.play], tokens[.lead]]
    return (loop, server, RequestGenerator(port: port, tokens: valid))
  }

  private func beginServer() throws {
    server.close()
    // The remaining tasks of the event loop run, such as those that close connections.
    loop.advanceTime(by: .minutes(1))
    (loop, server, requests) = try Self.server(isOpen: Bool.random(using: &random), files)
    generator = ConnectionGenerator(seed: random.next(), requests: requests)
  }

  private func open() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: 50_000)
    channel.remoteAddress = address
    try server.configure(channel)
    channel.connect(to: address, promise: nil)
    return channel
  }

  private func feed(_ connection: HostileConnection) throws {
    let channel = try open()
    connections += 1
    inputs += connection.requests + connection.frames
    for segment in connection.segments where channel.isActive {
      try channel.writeInbound(ByteBuffer(bytes: segment))
      loop.run()
    }
    var output = try ServerOutput(try sent(on: channel))
    try output.verify(connection)
    refused += output.statuses.count { $0 >= 400 }
    if output.isUpgraded {
      opened += 1
      if output.isClosed { closed += 1 }
      if output.isClosed == channel.isActive { throw Violation(description: "connection closed without a close frame") }
    } else if channel.isActive, connections % 16 == 0 {
      // The limit for a request is 15 s.
      loop.advanceTime(by: .seconds(16))
      output = try ServerOutput(try sent(on: channel))
      if channel.isActive { throw Violation(description: "connection open without a request in time") }
    }
    if channel.isActive { channel.close(promise: nil) }
    loop.run()
    guard server.pageCount == 0, server.connectionCount == 0 else {
      throw Violation(description: "\(server.pageCount) pages, \(server.connectionCount) connections after the end")
    }
  }

  private func openHonestPage() throws {
    let channel = try open()
    try channel.writeInbound(ByteBuffer(bytes: requests.honest()))
    loop.run()
    let output = try ServerOutput(try sent(on: channel))
    guard output.statuses == [101], output.firstKind == 1, server.pageCount == 1 else {
      throw Violation(description: "an honest page got \(output)")
    }
    channel.close(promise: nil)
    loop.run()
  }

  /// The octets that the server has sent since the last call.
  private func sent(on channel: EmbeddedChannel) throws -> [UInt8] {
    var octets: [UInt8] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { octets += buffer.readableBytesView }
    return octets
  }
}
