import Engine
import MusicalTime
import NIOHTTP1
import Realtime

/// Decides which requests the server answers: ``admitsSource(of:path:scheme:)`` checks the headers `Host` and `Origin`, and
/// ``decide(_:from:at:)`` checks the join token. Used on the event loop only.
final class Admission {
  /// The result of ``decide(_:from:at:)``.
  enum Decision: Equatable {
    /// The token is valid, or none is needed.
    case admitted(Access)
    /// The token is missing or wrong.
    case wrongToken
    /// The token is wrong, and too many wrong tokens have come from the address of the sender.
    case limited
  }

  /// The prefix of the WebSocket subprotocol that contains the token. A script in a browser cannot set other headers of a WebSocket
  /// request.
  static let tokenPrefix = "token."
  /// The URL path of the code that invites another phone.
  static let codePath = "/code.svg"
  /// The name of the WebSocket subprotocol of the page (RFC 6455, section 1.9).
  static let subprotocol = "tutti.1"

  private let hosts: HostCheck
  private let tokens: JoinTokens
  /// Whether no token is needed (`--http-open`).
  private let isOpen: Bool
  /// Whether pages of other peers of the group may move to this server (``ConsoleConfiguration/movesPages``).
  let movesPages: Bool
  private var limiter = AttemptLimiter()

  init(hosts: HostCheck, tokens: JoinTokens, isOpen: Bool, movesPages: Bool) {
    (self.hosts, self.tokens, self.isOpen, self.movesPages) = (hosts, tokens, isOpen, movesPages)
  }

  /// Whether the headers `Host` and `Origin` permit a request for `path`.
  ///
  /// A page that has moved to this server comes from another origin. It may open the WebSocket and load sounds, scores and codes. Its token proves that it
  /// is a page of the group. A wrong token from another origin is not counted, so that a foreign page cannot use up the limit of wrong
  /// tokens (``AttemptLimiter``).
  ///
  /// - Parameter scheme: "http" or "https", the scheme of the connection.
  func admitsSource(of headers: HTTPHeaders, path: String, scheme: String) -> Bool {
    if hosts.admits(headers, scheme: scheme) { return true }
    guard hasMoved(headers, path: path, scheme: scheme), let token = Self.token(in: headers) else { return false }
    return tokens.access(of: token) != nil
  }

  /// Whether to answer a preflight request for `path`. With a preflight request, a browser asks whether a page of another origin may send
  /// a token (Fetch Standard, section 4.8). The preflight request itself contains no token.
  func admitsPreflight(_ headers: HTTPHeaders, path: String, scheme: String) -> Bool {
    path != "/socket" && hasMoved(headers, path: path, scheme: scheme)
  }

  /// Whether the request can come from a page that has moved to this server, judged by everything except its token.
  private func hasMoved(_ headers: HTTPHeaders, path: String, scheme: String) -> Bool {
    let isShared = ["/socket", Self.codePath].contains(path)
    let prefixes = [SoundStore.pathPrefix, ScoreStore.pathPrefix]
    return movesPages && (isShared || prefixes.contains { path.hasPrefix($0) })
      && hosts.host(in: headers, scheme: scheme) != nil && headers["origin"].count == 1
  }

  /// Decides about a request with `headers` from the IP address `address`.
  func decide(_ headers: HTTPHeaders, from address: String, at now: Instant = MonotonicClock.now) -> Decision {
    if isOpen { return .admitted(.lead) }
    guard let token = Self.token(in: headers) else { return .wrongToken }
    if let access = tokens.access(of: token) { return .admitted(access) }
    // A valid token is admitted even after many wrong tokens. Otherwise a foreign page in the same browser could lock the player out
    // by sending wrong tokens. Security does not depend on the limit, because a token has 100 bits and cannot be guessed.
    guard limiter.admits(address, at: now) else { return .limited }
    limiter.fail(address, at: now)
    return .wrongToken
  }

  /// The token in the header `Authorization` (RFC 6750, section 2.1) or in the subprotocols.
  private static func token(in headers: HTTPHeaders) -> String? {
    if let value = headers.first(name: "authorization"), value.hasPrefix("Bearer ") {
      return String(value.dropFirst("Bearer ".count))
    }
    return headers[canonicalForm: "sec-websocket-protocol"].first { $0.hasPrefix(tokenPrefix) }.map {
      String($0.dropFirst(tokenPrefix.count))
    }
  }
}
