public import Engine
import NIOCore

/// The IP address and the port at which the page is served, written as `[ADDRESS:]PORT`. An IPv6 address is in brackets.
///
/// Real-time: not safe.
public struct ListenAddress: Hashable, Sendable {
  /// An IP address without brackets.
  public let host: String
  /// The port; 0 for any free port.
  public let port: Int

  /// Parses `[ADDRESS:]PORT`. Without an address, the page is served at 127.0.0.1.
  ///
  /// - Throws: ``EngineError`` if `text` has another form.
  public init(_ text: String) throws(EngineError) {
    let colon = text.lastIndex(of: ":")
    let portText = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard let port = UInt16(portText) else {
      throw EngineError("--http \(text): has no valid port; give [ADDRESS:]PORT with a port of 0 to 65535")
    }
    var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if host == "localhost" { host = "127.0.0.1" }
    guard Self.isAddress(host) else {
      throw EngineError(
        "--http \(text): not an IP address; give for example 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080")
    }
    (self.host, self.port) = (host, Int(port))
  }

  /// Whether only programs on this machine can reach the address.
  public var isLoopback: Bool { Self.isLoopback(host) }

  /// Whether `host` is a loopback address, without brackets.
  static func isLoopback(_ host: String) -> Bool { host.hasPrefix("127.") || host == "::1" }

  /// Whether `text` is an IP address without brackets.
  static func isAddress(_ text: String) -> Bool { (try? SocketAddress(ipAddress: text, port: 0)) != nil }
}
