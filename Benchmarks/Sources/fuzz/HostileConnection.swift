/// What a hostile client sends to a web page on one connection.
struct HostileConnection: CustomStringConvertible {
  /// The octets, in the pieces in which the client sends them.
  var segments: [[UInt8]] = []
  /// The number of requests, and of frames after them.
  var (requests, frames) = (0, 0)
  /// Whether the octets consist of the requests and frames only. Otherwise, some octets are damaged.
  var isIntact = true
  /// Whether one of the frames violates the WebSocket protocol.
  var hasInvalidFrame = false

  /// The octets as a literal, at most the first 800.
  var description: String {
    octets.prefix(800).map { UnicodeScalar($0).escaped(asASCII: true) }.joined()
  }

  var octets: [UInt8] { segments.flatMap { $0 } }

  /// Whether the octets contain the complete head of a request, so that a response must follow at once. Empty lines before a request
  /// are ignored (RFC 9112, section 2.2). The preface of HTTP/2 continues after its head (RFC 9113, section 3.4).
  var containsHead: Bool {
    let octets = octets.drop { $0 == 0x0D || $0 == 0x0A }
    return octets.endOfHead != nil && !octets.starts(with: "PRI ".utf8)
  }
}
