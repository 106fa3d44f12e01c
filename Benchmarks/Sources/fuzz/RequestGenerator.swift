import _TestSupport

/// Generates HTTP requests: valid and invalid requests for a WebSocket, in which each header can be missing, doubled or wrong, and
/// requests of other kinds.
struct RequestGenerator {
  private static let methods = [
    "HEAD", "POST", "OPTIONS", "CONNECT", "PUT", "DELETE", "TRACE", "PRI", "M-SEARCH", "get", "?",
  ]
  private static let targets = [
    "/", "/join", "/sounds/0123.wav", "/score/0123456789abcdeffedcba9876543210/0/390/100/0.svg", "/score/roman.otf",
    "/icon.svg", "/secure.json", "/authority.crt", "/nothing", "/socket?query", "*",
    "http://127.0.0.1/socket", "127.0.0.1:80", "/%00%ff", "/../etc/passwd", "//", "?", "/socket#fragment",
  ]
  private static let versions = ["HTTP/1.0", "HTTP/0.9", "HTTP/1.9", "HTTP/2.0", "HTTP/1", "ICE/1.0", ""]
  private static let hosts = [
    "127.0.0.1", "attacker.example:80", "[::1", "", ":", "127.0.0.1:99999999999999999999", "a:b:c",
  ]
  private static let origins = ["http://attacker.example", "null", "", "http://192.168.1.30:8080"]
  private static let connections = [
    "keep-alive", "close", "keep-alive, Upgrade", "upgrade", "UPGRADE,close", "upgrade;q=1", "xupgrade", ",,upgrade,",
    "Upgrade, HTTP2-Settings", "", "close, keep-alive",
  ]
  private static let upgrades = [
    "WebSocket", "h2c", "websocket, h2c", "h2c,websocket", "websocket/13", "", "TLS/1.0", ",",
  ]
  private static let webSocketVersions = ["8", "0", "13, 8", "013", "", "255", "13.0"]
  private static let keys = [
    "AAAA", "", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAA", "not base64!", "a,b", "=", "\u{FF}",
  ]
  private static let bodies = [
    "Content-Length: 0\r\n\r\n", "Content-Length: 5\r\n\r\nhello", "Content-Length: 99999999999999999999\r\n\r\n",
    "Content-Length: -1\r\n\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n0\r\nEmpty:\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "Transfer-Encoding: gzip\r\n\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n", "Expect: 100-continue\r\n\r\n",
  ]
  /// Octets that are no request of HTTP/1.1: the preface of HTTP/2, the beginning of a TLS handshake, and defective lines.
  private static let others = [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}", "\r\n\r\n\r\n", "GET /\r\n\r\n",
    "\n\n",
    "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\n: empty\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "\u{00}",
  ]

  private let host: String
  /// Valid join tokens; empty if none is needed.
  private let tokens: [String]

  /// - Parameter port: the port of the web page.
  init(port: Int, tokens: [String]) { (host, self.tokens) = ("127.0.0.1:\(port)", tokens) }

  /// A request for a WebSocket as a page sends it.
  func honest() -> [UInt8] {
    var random = SplitMix(seed: 0)
    return octets(damage: 0, &random)
  }

  /// Returns a request. Half of the requests have at most one invalid part.
  func request(_ random: inout SplitMix) -> [UInt8] {
    if Int.random(in: 0..<20, using: &random) == 0 {
      return Array((Self.others.randomElement(using: &random) ?? "").utf8)
    }
    return octets(damage: Bool.random(using: &random) ? 0.06 : 0.35, &random)
  }

  /// - Parameter damage: the probability with which a part of the request differs from a valid request for a WebSocket.
  private func octets(damage: Double, _ random: inout SplitMix) -> [UInt8] {
    func isDamaged(_ random: inout SplitMix) -> Bool { Double.random(in: 0..<1, using: &random) < damage }
    func one(_ valid: String, or others: [String], _ random: inout SplitMix) -> String {
      isDamaged(&random) ? others.randomElement(using: &random) ?? valid : valid
    }
    /// Appends a header. It can be missing, doubled or wrong.
    func add(_ name: String, _ valid: String, or others: [String], to text: inout String, _ random: inout SplitMix) {
      guard isDamaged(&random) else {
        text += "\(name): \(valid)\r\n"
        return
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let name = Bool.random(using: &random) ? name : name.lowercased()
        text += "\(name): \(one(valid, or: others, &random))\r\n"
      }
    }
    var text = one("GET", or: Self.methods, &random) + " " + one("/socket", or: Self.targets, &random) + " "
    text += one("HTTP/1.1", or: Self.versions, &random) + "\r\n"
    add("Host", host, or: Self.hosts, to: &text, &random)
    add("Upgrade", "websocket", or: Self.upgrades, to: &text, &random)
    add("Connection", "Upgrade", or: Self.connections, to: &text, &random)
    add("Sec-WebSocket-Version", "13", or: Self.webSocketVersions, to: &text, &random)
    add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", or: Self.keys, to: &text, &random)
    let token = tokens.randomElement(using: &random).map { ", token.\($0)" } ?? ""
    add(
      "Sec-WebSocket-Protocol", "tutti.1\(token)", or: ["tutti.1", "tutti.2", "", "token.wrong, tutti.1"], to: &text,
      &random)
    if isDamaged(&random) { add("Origin", "http://\(host)", or: Self.origins, to: &text, &random) }
    if isDamaged(&random) { text += "Authorization: Bearer \(tokens.first ?? "wrong")\r\n" }
    if isDamaged(&random), Bool.random(using: &random) { text += excess(&random) }
    text += isDamaged(&random) ? Self.bodies.randomElement(using: &random) ?? "" : "\r\n"
    return Array(text.utf8)
  }

  /// Headers that exceed a limit of the server, or almost exceed it.
  private func excess(_ random: inout SplitMix) -> String {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: "Long: \(String(repeating: "x", count: Int.random(in: 3000...6000, using: &random)))\r\n"
    case 1: String(repeating: "Many: x\r\n", count: Int.random(in: 40...80, using: &random))
    default: String(repeating: "Large: \(String(repeating: "é", count: 1500))\r\n", count: 6)
    }
  }
}
