import Engine
import Foundation
import NIOCore
import NIOEmbedded
import Rhythm

@_spi(Fuzzing) @testable import Console

/// A server of the page without a port: its connections are channels on an event loop with virtual time.
struct EmbeddedServer {
  private struct NoRhythms: RhythmLibrary {
    func readCards(_ deliver: @escaping @Sendable ([RhythmCard]) -> Void) {}
    func readInstruments(_ deliver: @escaping @Sendable ([(file: String, instrument: Instrument)]) -> Void) {}
    func select(_ name: String) {}
  }

  static let port = 8080

  let loop = EmbeddedEventLoop()
  let mailbox = Mailbox()
  let tokens = JoinTokens(key: nil)
  let server: PageServer

  init(isOpen: Bool = true, address: String = "127.0.0.1") throws {
    let configuration = ConsoleConfiguration(
      address: try ListenAddress("\(address):\(Self.port)"), key: nil, isKeyStrong: false, isOpen: isOpen,
      certificate: nil, machine: "studio", soundFont: "", microphone: Microphone(device: nil, latency: nil))
    server = try PageServer(
      configuration, tokens: tokens, files: try PageFiles(), eventLoop: loop, mailbox: mailbox, library: NoRhythms(),
      onPlayers: { _ in }, report: { _ in })
    server.start(port: Self.port)
  }

  /// Opens a connection.
  func open() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(loop: loop)
    channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 50_000)
    try server.configure(channel)
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 50_000), promise: nil)
    return channel
  }

  /// Sends octets on a connection, all at once. Returns what the server sends.
  @discardableResult
  func send(_ octets: [UInt8], on channel: EmbeddedChannel) throws -> Response {
    try channel.writeInbound(ByteBuffer(bytes: octets))
    loop.run()
    return try received(on: channel)
  }

  @discardableResult
  func send(_ text: String, on channel: EmbeddedChannel) throws -> Response { try send(Array(text.utf8), on: channel) }

  /// Sends `text` on a new connection. Returns what the server sends.
  func ask(_ text: String) throws -> Response { try send(text, on: open()) }

  /// What the server has sent since the last call.
  func received(on channel: EmbeddedChannel) throws -> Response {
    var octets: [UInt8] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { octets += buffer.readableBytesView }
    return Response(octets: octets)
  }

  /// A request for a WebSocket, in which the headers `changes` replace those of a page. A header without a value is omitted.
  static func request(
    _ line: String = "GET /socket HTTP/1.1", _ changes: [String: [String]] = [:]
  ) -> String {
    var headers = [
      "Host": ["127.0.0.1:\(port)"], "Upgrade": ["websocket"], "Connection": ["Upgrade"],
      "Sec-WebSocket-Version": ["13"], "Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ=="],
      "Sec-WebSocket-Protocol": ["tutti.1"],
    ]
    headers.merge(changes) { _, new in new }
    let lines = headers.sorted { $0.key < $1.key }.flatMap { name, values in values.map { "\(name): \($0)" } }
    return ([line] + lines).joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// The octets of a frame with the mask zero, which leaves the payload unchanged (RFC 6455, section 5.2).
  static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length: [UInt8] =
      payload.count < 126
      ? [0x80 | UInt8(payload.count)]
      : [0xFE, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    return [first] + length + [0, 0, 0, 0] + payload
  }

  /// The octets of a command of a page.
  static func command(_ json: String) -> [UInt8] {
    let frame = Frame(.command, sequence: 1, at: .init(nanoseconds: 0), payload: ByteBuffer(string: json))
    return Self.frame(0x82, Array(frame.encoded.readableBytesView))
  }

  /// Octets of the server: responses, and after the status 101 frames.
  struct Response {
    let octets: [UInt8]

    var text: String { String(decoding: octets, as: UTF8.self) }
    /// The status codes of the responses.
    var statuses: [Int] { text.matches(of: #/HTTP/1\.1 ([0-9]{3}) /#).compactMap { Int($0.output.1) } }
    /// The value of a header of the first response; nil without the header.
    func header(_ name: String) -> String? {
      let head = text.components(separatedBy: "\r\n\r\n")[0]
      return head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }.map {
        String($0.dropFirst(name.count + 2))
      }
    }
    /// The octets after the header of the first response.
    var body: [UInt8] {
      guard let end = octets.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
      return Array(octets[end.upperBound...])
    }
    /// The code of the close frame at the end (RFC 6455, section 5.5.1); nil if there is none.
    var closeCode: Int? {
      guard octets.count >= 4, Array(octets.suffix(4).prefix(2)) == [0x88, 2] else { return nil }
      return Int(octets[octets.count - 2]) << 8 | Int(octets[octets.count - 1])
    }
  }
}
