import Foundation
import MusicalTime
import Realtime
import Testing
import _TestSupport
import _TestTraits

@_spi(Fuzzing) @testable import Console

/// Tests of the web page of a real peer, over real connections.
@Suite(.ownThreads) struct WebPageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func filesHaveSecurityHeaders() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    for path in try PageFiles().paths {
      let (status, text) = try peer.get(path)
      #expect(status == 200, "\(path)")
      #expect(text.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"), "\(path)")
      #expect(text.contains("X-Content-Type-Options: nosniff"), "\(path)")
    }
  }

  @Test func onlyThePageIsServedWithoutToken() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    for path in ["/join", "/socket", "/sounds/0123.wav"] { #expect(try peer.get(path).status == 401, "\(path)") }
    for path in ["/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/index.html/..", "/style.css%00", "/.", "*"] {
      let status = try peer.get(path).status
      #expect(status == 404 || status == 400, "\(path): \(status)")
    }
    #expect(throws: RawConnection.Failure.self) { try PageClient(port: peer.port, token: "") }
  }

  /// The server answers a request with a foreign `Host` or `Origin` with the status 421 (Misdirected Request).
  @Test func foreignHostsAndOriginsAreRejected() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    #expect(try peer.get("/", host: "attacker.example:\(peer.port)").status == 421)
    #expect(try peer.get("/", headers: ["Origin: http://attacker.example"]).status == 421)
    #expect(throws: RawConnection.Failure.self) {
      try PageClient(port: peer.port, token: peer.leadToken, origin: "http://attacker.example")
    }
    _ = try PageClient(port: peer.port, token: peer.leadToken, origin: "http://127.0.0.1:\(peer.port)")
  }

  /// A peer of a group with a passkey accepts the pages of the other peers of this group, whose pages have other origins.
  @Test func pageOfAnotherPeerOfTheGroupIsAccepted() async throws {
    let passkey = folder.path("passkey.txt")
    try "a passkey for the tests of the page\n".write(toFile: passkey, atomically: true, encoding: .utf8)
    let peer = try await ServedPeer("Ada", ["--passkey-file", passkey], in: folder)
    let foreign = "http://192.168.1.30:8080"
    let page = try PageClient(port: peer.port, token: peer.playToken, origin: foreign)
    let alternatives = try #require(page.next(.alternatives))
    #expect(String(buffer: alternatives.payload) == #"{"peers":[]}"#)
    #expect(throws: RawConnection.Failure.self) { try PageClient(port: peer.port, token: "wrong", origin: foreign) }
    let sounds = try #require(page.next(.sounds))
    let text = String(buffer: sounds.payload)
    let path = String(try #require(text.firstMatch(of: /\/sounds\/[0-9a-f]{32}\.wav/)).output)
    let token = "Authorization: Bearer \(peer.playToken)"
    let sound = try peer.get(path, headers: [token, "Origin: \(foreign)"])
    #expect(sound.status == 200 && sound.text.contains("Access-Control-Allow-Origin: \(foreign)\r\n"))
    #expect(sound.text.contains("Vary: Origin"))
    #expect(try peer.get(path, headers: ["Origin: \(foreign)"]).status == 421)
    // A page of another peer may only open the WebSocket and load sounds.
    for path in ["/", "/join", "/app.js"] {
      #expect(try peer.get(path, headers: [token, "Origin: \(foreign)"]).status == 421, "\(path)")
    }
    // The preflight request, by which a browser asks whether the page may send a token. The preflight request itself has no token.
    let question = ["Origin: \(foreign)", "Access-Control-Request-Method: GET"]
    let answer = try peer.get(path, method: "OPTIONS", headers: question)
    #expect(answer.status == 204 && answer.text.contains("Access-Control-Allow-Headers: Authorization"))
    #expect(try peer.get("/join", method: "OPTIONS", headers: question).status == 421)
    // After five wrong tokens, the next wrong token gets the status 429. Wrong tokens from another origin do not count, so that they
    // cannot use up this limit.
    for _ in 0..<10 { _ = try? PageClient(port: peer.port, token: "wrong", origin: foreign) }
    #expect(try peer.get("/join", headers: ["Authorization: Bearer wrong"]).status == 401)
  }

  @Test func openPageAcceptsItsOwnOriginOnly() async throws {
    let peer = try await ServedPeer("Ada", ["--http-open"], in: folder)
    let foreign = "http://192.168.1.30:8080"
    #expect(throws: RawConnection.Failure.self) { try PageClient(port: peer.port, token: "", origin: foreign) }
    #expect(try peer.get("/sounds/0.wav", method: "OPTIONS", headers: ["Origin: \(foreign)"]).status == 421)
    _ = try PageClient(port: peer.port, token: "", origin: "http://127.0.0.1:\(peer.port)")
  }

  /// The first five wrong tokens from one address get the status 401, and further ones get 429 (``AttemptLimiter``). Every five seconds,
  /// one wrong token is forgiven. On a slow machine, further wrong tokens can therefore get 401.
  @Test func wrongTokensAreLimited() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    let begin = ContinuousClock.now
    let statuses = try (0..<8).map { _ in try peer.get("/join", headers: ["Authorization: Bearer wrong"]).status }
    // The largest number of wrong tokens that can have been forgiven.
    let forgiven = Int((ContinuousClock.now - begin) / Duration.nanoseconds(AttemptLimiter.interval.count))
    #expect(statuses.allSatisfy { $0 == 401 || $0 == 429 } && statuses.last == 429, "\(statuses)")
    #expect(statuses.prefix(AttemptLimiter.burst).allSatisfy { $0 == 401 }, "\(statuses)")
    #expect(statuses.count { $0 == 401 } <= AttemptLimiter.burst + forgiven, "\(statuses), \(forgiven) forgiven")
    // The limit does not affect requests without a token.
    #expect(try peer.get("/").status == 200)
  }

  @Test func oversizedRequestsAreRejected() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    for headers in [
      ["X: " + String(repeating: "a", count: 5000)], (0..<100).map { "X-\($0): a" },
      (0..<10).map { "X-\($0): " + String(repeating: "a", count: 3000) },
    ] {
      #expect(try peer.get("/", headers: headers).status == 431)
    }
    #expect(try peer.get("/").status == 200)
  }

  /// Before, the second request ended the peer.
  @Test func secondRequestBehindARefusedWebSocketDoesNotEndThePeer() async throws {
    let peer = try await ServedPeer("Ada", ["--http-open"], in: folder)
    let connection = try RawConnection(port: peer.port)
    let host = "Host: 127.0.0.1:\(peer.port)\r\n"
    connection.send(
      "GET /socket HTTP/1.1\r\n\(host)Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tutti.1\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n")
    #expect(String(decoding: connection.receiveAll(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
    #expect(try peer.get("/").status == 200)
  }

  @Test func onlyThePageOfTheLeaderControlsTheRhythm() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    let (page, other) = (
      try PageClient(port: peer.port, token: peer.leadToken), try PageClient(port: peer.port, token: peer.playToken)
    )
    #expect(page.next()?.kind == .welcome)
    #expect(page.next()?.kind == .patch)
    page.command(#"{"do":"start"}"#)
    try await peer.process.wait(forRole: "master")
    // The ninth octet of the payload is 1 while a rhythm plays.
    func plays(_ frame: Frame) -> Bool { frame.payload.getInteger(at: 8, as: UInt8.self) == 1 }
    #expect(page.next(.rhythm, where: plays) != nil)
    #expect(other.next(.rhythm, where: plays) != nil)
    // A page of a player cannot stop the rhythm. The page of the leader can.
    other.command(#"{"do":"stop"}"#)
    other.command(#"{"do":"note","key":60,"velocity":90}"#)
    try await peer.process.wait(for: "to play the note") { $0.contains { $0.midi?.hasSuffix("3C 5A") == true } }
    #expect(peer.process.events.last { $0.event == "role" }?.role == "master")
    page.command(#"{"do":"stop"}"#)
    #expect(other.next(.rhythm) { !plays($0) } != nil)
  }

  /// A page counts as a player from its first valid report of the output delay on, until it leaves.
  @Test func pagesAreCountedAsPlayers() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    var page: PageClient? = try PageClient(port: peer.port, token: peer.playToken)
    // The first report is too short, and the second has a delay that is too long. Neither counts.
    page?.send(.output, [0, 0])
    page?.send(.output, [0xFF, 0xFF, 0xFF, 0xFF])
    page?.send(.clockRequest)
    #expect(page?.next(.clockReply) != nil)
    let other = try PageClient(port: peer.port, token: peer.leadToken)
    // A valid delay of 20 000 us (0x4E20).
    for page in [page, other] { page?.send(.output, [0, 0, 0x4E, 0x20]) }
    try await peer.process.wait(for: "to count two players") { $0.last { $0.players != nil }?.players == 2 }
    page = nil
    try await peer.process.wait(for: "to count one player") { $0.last { $0.players != nil }?.players == 1 }
    #expect(peer.process.events.compactMap(\.players) == [1, 2, 1])
  }

  /// The payload of a reply contains the instants at which the page sent the request and the peer received it. The third instant is
  /// in the header of the frame: when the peer sent the reply.
  @Test func clockReplyContainsThreeInstants() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    let page = try PageClient(port: peer.port, token: peer.playToken)
    let before = MonotonicClock.now.nanoseconds
    page.send(.clockRequest, at: 123_456_789)
    let reply = try #require(page.next(.clockReply))
    var payload = reply.payload
    let instants = payload.readMultipleIntegers(as: (Int64, Int64).self)
    let (sent, received) = try #require(instants)
    #expect(sent == 123_456_789)
    // The peer and this test use the clock of one machine.
    #expect(before <= received && received <= reply.at.nanoseconds && reply.at <= MonotonicClock.now)
  }

  @Test func renderedSoundsAreServedToPagesWithAToken() async throws {
    let peer = try await ServedPeer("Ada", in: folder)
    let page = try PageClient(port: peer.port, token: peer.playToken)
    let sounds = try #require(page.next(.sounds))
    let text = String(buffer: sounds.payload)
    let path = try #require(text.firstMatch(of: /\/sounds\/[0-9a-f]{32}\.wav/)).output
    let response = try peer.get(String(path), headers: ["Authorization: Bearer \(peer.playToken)"])
    #expect(response.status == 200 && response.text.contains("immutable") && response.text.contains("RIFF"))
    #expect(try peer.get(String(path)).status == 401)
  }

  @Test func addressesOnTheNetworkNeedAPasskey() async throws {
    let child = try Child.tutti(["peer", "--http", "0.0.0.0:0", "--audio", "none", "--port", "0"], in: folder)
    let outcome = try await child.outcome()
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("--http 0.0.0.0: other machines can reach this address, but there is no passkey"))
    let usage = try await Child.tutti(["peer", "--http-open"], name: "usage", in: folder).outcome()
    #expect(usage.status == 64 && usage.errors.contains("--http-open: has no effect without --http"))
  }
}
