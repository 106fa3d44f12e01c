import Engine
import NIOHTTP1
import PeerProtocol
import Testing

@testable import Console

/// Tests of ``Admission`` with requests of pages that have moved. A page moves when the browser that has loaded it from one peer connects to
/// another peer of the group.
@Suite struct AdmissionTests {
  private static let key = GroupKey([UInt8](repeating: 7, count: 32))
  private let tokens = JoinTokens(key: key)

  /// `isOpen`: whether a page needs no token (--http-open). `movesPages`: whether pages of other peers may move to this peer.
  private func admission(isOpen: Bool = false, movesPages: Bool = true) -> Admission {
    Admission(
      hosts: HostCheck(machine: "studio", port: 8080), tokens: tokens, isOpen: isOpen, movesPages: movesPages)
  }

  /// The headers of a request for a WebSocket at this peer (192.168.1.20). By default, the request comes from a page that another peer
  /// (192.168.1.30) has served. `token`: the join token; nil for none.
  private func headers(
    _ token: String?, origin: String = "http://192.168.1.30:8080", host: String = "192.168.1.20:8080"
  )
    -> HTTPHeaders
  {
    var headers: HTTPHeaders = ["Host": host, "Origin": origin]
    if let token { headers.add(name: "Sec-WebSocket-Protocol", value: "tutti.1, token.\(token)") }
    return headers
  }

  @Test func movedPageIsAdmittedWithAValidToken() {
    for access in Access.allCases {
      for path in ["/socket", "/sounds/0123.wav", "/code.svg"] {
        #expect(admission().admitsSource(of: headers(tokens[access]), path: path, scheme: "http"), "\(access) \(path)")
      }
    }
    var bearer: HTTPHeaders = ["Host": "192.168.1.20:8080", "Origin": "http://192.168.1.30:8080"]
    bearer.add(name: "Authorization", value: "Bearer \(tokens[.play])")
    #expect(admission().admitsSource(of: bearer, path: "/sounds/0123.wav", scheme: "http"))
  }

  @Test func pageOfAnotherOriginIsRejectedWithoutAValidToken() {
    for token in [nil, "", "wrong", JoinTokens(key: nil)[.lead], tokens[.lead] + "a"] {
      #expect(!admission().admitsSource(of: headers(token), path: "/socket", scheme: "http"), "\(token ?? "no token")")
    }
  }

  @Test func otherPathsRequireTheSameOrigin() {
    for path in ["/", "/join", "/app.js", "/sockets", "/secure.json", "/authority.crt", "/sounds", "/code.svg/"] {
      #expect(!admission().admitsSource(of: headers(tokens[.lead]), path: path, scheme: "http"), "\(path)")
    }
  }

  @Test func openPageAndPageWithoutPasskeyRequireTheSameOrigin() {
    // No page moves to a peer with --http-open or to a peer without a passkey.
    for admission in [admission(isOpen: true, movesPages: false), admission(movesPages: false)] {
      #expect(!admission.admitsSource(of: headers(tokens[.lead]), path: "/socket", scheme: "http"))
      #expect(!admission.admitsPreflight(headers(nil), path: "/sounds/0123.wav", scheme: "http"))
    }
  }

  @Test func foreignHostIsRejectedDespiteAValidToken() {
    for host in ["attacker.example:8080", "192.168.1.20:80"] {
      #expect(
        !admission().admitsSource(of: headers(tokens[.lead], host: host), path: "/socket", scheme: "http"), "\(host)")
      #expect(
        !admission().admitsPreflight(headers(nil, host: host), path: "/sounds/0123.wav", scheme: "http"), "\(host)")
    }
  }

  @Test func twoOriginsAreRejected() {
    var headers = headers(tokens[.lead])
    headers.add(name: "Origin", value: "http://192.168.1.20:8080")
    #expect(!admission().admitsSource(of: headers, path: "/socket", scheme: "http"))
  }

  @Test func preflightIsAnsweredForSoundsAndCodesOnly() {
    for path in ["/sounds/0123.wav", "/code.svg"] {
      #expect(admission().admitsPreflight(headers(nil), path: path, scheme: "http"), "\(path)")
    }
    for path in ["/", "/join", "/socket", "/app.js"] {
      #expect(!admission().admitsPreflight(headers(nil), path: path, scheme: "http"), "\(path)")
    }
  }

  @Test func pagesMoveOnlyInAGroupWithTokens() throws {
    func moves(_ key: GroupKey?, isOpen: Bool) throws -> Bool {
      ConsoleConfiguration(
        address: try ListenAddress("0.0.0.0:8080"), key: key, isKeyStrong: true, isOpen: isOpen, certificate: nil,
        machine: "studio", soundFont: ""
      ).movesPages
    }
    #expect(try moves(Self.key, isOpen: false))
    #expect(try !moves(Self.key, isOpen: true))
    #expect(try !moves(nil, isOpen: false))
    #expect(try !moves(nil, isOpen: true))
  }

  @Test func onlyMovingPagesMayConnectToOtherServers() throws {
    func sources(scheme: String, movesPages: Bool) throws -> String {
      let headers = ResponseHeaders.security(host: "studio.local:8080", scheme: scheme, movesPages: movesPages)
      let policy = try #require(headers.first(name: "Content-Security-Policy"))
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"))
      return String(try #require(policy.split(separator: "; ").first { $0.hasPrefix("connect-src") }))
    }
    // The page may connect to two more addresses of its own server: the WebSocket, which older versions of Safari do not include in
    // `'self'`, and the address with HTTPS, to test whether HTTPS works.
    #expect(
      try sources(scheme: "http", movesPages: false)
        == "connect-src 'self' ws://studio.local:8080 https://studio.local:8080")
    #expect(try sources(scheme: "http", movesPages: true) == "connect-src 'self' ws: http:")
    #expect(try sources(scheme: "https", movesPages: true) == "connect-src 'self' wss: https:")
  }
}
