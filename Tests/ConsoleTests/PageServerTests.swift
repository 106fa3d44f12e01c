import NIOCore
import NIOEmbedded
import Testing

@_spi(Fuzzing) @testable import Console
@testable import Engine

/// Tests of ``PageServer`` with hostile and honest requests, without sockets.
@Suite struct PageServerTests {
  private typealias Octets = [UInt8]
  private static let request = EmbeddedServer.request()
  private static let simple = "GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:\(EmbeddedServer.port)\r\n\r\n"

  @Test func requestForAWebSocketOpensAPage() throws {
    let server = try EmbeddedServer()
    let channel = try server.open()
    let response = try server.send(Self.request, on: channel)
    #expect(response.statuses == [101])
    // The value for the key of the example in RFC 6455, section 1.3.
    #expect(response.text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
    #expect(response.text.contains("Sec-WebSocket-Protocol: tutti.1\r\n"))
    #expect(response.text.contains(#""access":"lead""#))
    #expect(server.server.pageCount == 1)
    channel.close(promise: nil)
    server.loop.run()
    #expect(server.server.pageCount == 0 && server.server.connectionCount == 0)
  }

  @Test func framesMayFollowTheRequestAtOnce() throws {
    let server = try EmbeddedServer()
    try server.send(Array(Self.request.utf8) + EmbeddedServer.command(#"{"do":"start"}"#), on: server.open())
    #expect(server.mailbox.take(10).map(\.command) == [.start])
  }

  @Test func requestMayArriveInFragments() throws {
    let server = try EmbeddedServer()
    let channel = try server.open()
    var octets: Octets = []
    for octet in Array(Self.request.utf8) + EmbeddedServer.command(#"{"do":"stop"}"#) {
      octets += try server.send([octet], on: channel).octets
    }
    #expect(EmbeddedServer.Response(octets: octets).statuses == [101])
    #expect(server.mailbox.take(10).map(\.command) == [.stop])
  }

  @Test func webSocketMayFollowOtherRequests() throws {
    let server = try EmbeddedServer()
    let channel = try server.open()
    #expect(try server.send(Self.simple, on: channel).statuses == [200])
    #expect(try server.send(Self.simple + Self.simple + Self.request, on: channel).statuses == [200, 200, 101])
  }

  /// Before, the second request ended the program.
  @Test func secondRequestBehindARefusedWebSocketIsIgnored() throws {
    for connection in [[], ["keep-alive"], ["upgrade;q=1"], ["keep-alive", "close"]] {
      let server = try EmbeddedServer()
      let channel = try server.open()
      let request = EmbeddedServer.request("GET /socket HTTP/1.1", ["Connection": connection])
      #expect(try server.send(request + Self.simple, on: channel).statuses == [400], "\(connection)")
      #expect(!channel.isActive)
    }
  }

  /// The octets behind an accepted request are frames. The first octet of `GET` has a reserved bit.
  @Test func secondRequestBehindAWebSocketIsAnInvalidFrame() throws {
    let server = try EmbeddedServer()
    let response = try server.ask(Self.request + Self.simple + Self.simple)
    #expect(response.statuses == [101] && response.closeCode == 1002)
    #expect(server.server.pageCount == 0)
  }

  @Test(
    arguments: [
      ("GET /socket HTTP/1.1", ["Upgrade": ["WebSocket"], "Connection": ["keep-alive, UPGRADE"]], 101),
      ("GET /socket HTTP/1.1", ["Upgrade": ["h2c", "websocket"], "Connection": ["keep-alive", "upgrade"]], 101),
      ("GET /socket HTTP/1.1", ["Upgrade": []], 426),
      ("GET /socket HTTP/1.1", ["Upgrade": ["h2c"], "Connection": ["Upgrade, HTTP2-Settings"]], 426),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Version": ["8"]], 426),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Version": ["13", "13"]], 426),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Version": []], 426),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Key": []], 400),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Key": ["AAAA"]], 400),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="]], 400),
      ("GET /socket HTTP/1.1", ["Sec-WebSocket-Protocol": ["tutti.2"]], 400),
      ("GET /socket HTTP/1.1", ["Origin": ["http://evil.example"]], 421),
      ("GET /socket HTTP/1.1", ["Host": ["evil.example"]], 421),
      ("GET /nothing HTTP/1.1", [:], 404),
      ("GET /icon.svg HTTP/1.1", ["Upgrade": ["h2c"], "Connection": ["Upgrade, HTTP2-Settings"]], 200),
      ("GET /socket HTTP/1.0", [:], 400),
      ("HEAD /socket HTTP/1.1", [:], 405),
      ("POST /socket HTTP/1.1", [:], 405),
      ("CONNECT 127.0.0.1:\(EmbeddedServer.port) HTTP/1.1", [:], 405),
    ] as [(String, [String: [String]], Int)])
  func everyRequestWithUpgradeIsAnsweredAtOnce(line: String, headers: [String: [String]], status: Int) throws {
    let server = try EmbeddedServer()
    let channel = try server.open()
    let response = try server.send(EmbeddedServer.request(line, headers), on: channel)
    #expect(response.statuses == [status], "\(line) \(headers)")
    // After such a request, the decoder decodes no further request.
    #expect(channel.isActive == (status == 101))
    // RFC 9110, section 15.5.22, and RFC 6455, section 4.4.
    if status == 426 { #expect(response.text.contains("Upgrade: websocket\r\n")) }
    if headers["Sec-WebSocket-Version"] != nil { #expect(response.text.contains("Sec-WebSocket-Version: 13\r\n")) }
  }

  @Test func wrongTokensOfWebSocketsAreLimited() throws {
    let server = try EmbeddedServer(isOpen: false)
    func status(_ token: String) throws -> [Int] {
      try server.ask(
        EmbeddedServer.request("GET /socket HTTP/1.1", ["Sec-WebSocket-Protocol": ["tutti.1, token.\(token)"]])
      ).statuses
    }
    for _ in 0..<AttemptLimiter.burst { #expect(try status("wrong") == [401]) }
    #expect(try status("wrong") == [429])
    #expect(
      try server.ask("GET /join HTTP/1.1\r\nHost: localhost:8080\r\nAuthorization: Bearer a\r\n\r\n").statuses == [429])
    #expect(try status(server.tokens[.play]) == [101])
  }

  /// The response does not wait for the body.
  @Test(arguments: [
    "Content-Length: 5\r\n\r\nhello", "Content-Length: 5\r\n\r\n", "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
  ])
  func requestsWithABodyAreAnswered(end: String) throws {
    for request in [Self.simple, Self.request] {
      // The last character is the empty line.
      let server = try EmbeddedServer()
      let channel = try server.open()
      #expect(try server.send(request.dropLast() + end + Self.simple, on: channel).statuses == [413])
      #expect(!channel.isActive)
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nLong: \(String(repeating: "x", count: 5000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\n\(String(repeating: "Many: x\r\n", count: 65))\r\n", 431),
    ("GET / HTTP/2.0\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400), ("hello\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
  ])
  func malformedRequestsAreAnswered(request: String, status: Int) throws {
    let server = try EmbeddedServer()
    let channel = try server.open()
    #expect(try server.send(request + Self.simple, on: channel).statuses == [status])
    #expect(!channel.isActive)
  }

  @Test func incompleteRequestIsAnsweredInTime() throws {
    let server = try EmbeddedServer()
    let (silent, slow) = (try server.open(), try server.open())
    #expect(try server.send(String(Self.request.dropLast(4)), on: slow).octets.isEmpty)
    server.loop.advanceTime(by: .seconds(16))
    #expect(try server.received(on: slow).statuses == [408])
    #expect(try server.received(on: silent).octets.isEmpty)
    #expect(!slow.isActive && !silent.isActive)
    #expect(server.server.connectionCount == 0)
  }

  @Test func excessiveConnectionsAreAnswered() throws {
    let server = try EmbeddedServer()
    var channels: [EmbeddedChannel] = []
    while server.server.connectionCount == channels.count, channels.count < 1000 { channels.append(try server.open()) }
    let excessive = try #require(channels.last)
    #expect(try server.received(on: excessive).statuses == [503])
    #expect(!excessive.isActive)
    channels[0].close(promise: nil)
    server.loop.run()
    #expect(try server.send(Self.simple, on: server.open()).statuses == [200])
  }

  @Test func tooManyOctetsBehindARequestAreRefused() throws {
    let server = try EmbeddedServer()
    let excess = String(repeating: "x", count: 40_000)
    #expect(try server.ask(Self.request + excess).statuses == [413])
    #expect(try server.ask(EmbeddedServer.request("POST /socket HTTP/1.1") + excess).statuses == [405])
    server.loop.run()
    #expect(server.server.pageCount == 0 && server.server.connectionCount == 0)
  }

  /// The codes are those of RFC 6455, section 7.4.1.
  @Test(
    arguments: [
      ("no mask", [0x82, 0], 1002), ("reserved bit 1", EmbeddedServer.frame(0xC2, []), 1002),
      ("reserved bit 2", EmbeddedServer.frame(0xA2, []), 1002),
      ("reserved bit 3", EmbeddedServer.frame(0x92, []), 1002),
      ("reserved opcode", EmbeddedServer.frame(0x83, []), 1002),
      ("reserved control opcode", EmbeddedServer.frame(0x8B, []), 1002),
      ("continuation of nothing", EmbeddedServer.frame(0x80, []), 1002),
      ("fragmented ping", EmbeddedServer.frame(0x09, []), 1002),
      ("long ping", EmbeddedServer.frame(0x89, [UInt8](repeating: 0, count: 126)), 1002),
      ("close frame with one octet", EmbeddedServer.frame(0x88, [3]), 1002),
      ("fragmented message", EmbeddedServer.frame(0x02, []), 1003), ("text", EmbeddedServer.frame(0x81, [0xFF]), 1003),
      ("long message", EmbeddedServer.frame(0x82, [UInt8](repeating: 0, count: 2049)), 1009),
      ("longest message", [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 12), 1009),
      ("close frame", EmbeddedServer.frame(0x88, [3, 232]), 1000),
    ] as [(String, [UInt8], Int)])
  func invalidFrameEndsTheConnection(name: String, frame: [UInt8], code: Int) throws {
    let server = try EmbeddedServer()
    let channel = try server.open()
    try server.send(Self.request, on: channel)
    let start = EmbeddedServer.command(#"{"do":"start"}"#)
    #expect(try server.send(frame + start, on: channel).closeCode == code, "\(name)")
    #expect(!channel.isActive && server.server.pageCount == 0)
    // A command behind the frame has no effect.
    #expect(server.mailbox.take(10).isEmpty)
  }
}
