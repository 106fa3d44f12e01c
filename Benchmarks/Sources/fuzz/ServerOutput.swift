/// What a web page has sent on one connection: complete HTTP responses, and after the status 101 the frames of the server.
struct ServerOutput {
  struct Malformed: Error { let description: String }

  /// The status codes of the responses.
  private(set) var statuses: [Int] = []
  /// The opcodes of the frames after the status 101.
  private(set) var opcodes: [UInt8] = []
  /// The kind of the first frame of the page's protocol; 1 is `welcome`.
  private(set) var firstKind: UInt8?

  var isUpgraded: Bool { statuses.last == 101 }
  /// Whether the last frame is a close frame (RFC 6455, section 5.5.1).
  var isClosed: Bool { opcodes.last == 8 }

  /// - Throws: ``Malformed`` if `octets` contain anything but complete responses and frames.
  init(_ octets: [UInt8]) throws(Malformed) {
    var rest = octets[...]
    while !rest.isEmpty {
      if isUpgraded { try readFrame(&rest) } else { try readResponse(&rest) }
    }
  }

  private mutating func readResponse(_ rest: inout ArraySlice<UInt8>) throws(Malformed) {
    guard let end = rest.endOfHead else { throw Malformed(description: "incomplete head") }
    let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      throw Malformed(description: "status line \(lines.first ?? "")")
    }
    rest = rest[end...]
    statuses.append(status)
    let length = lines.first { $0.lowercased().hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
    guard status != 101, status != 204 else { return }
    guard let length else { throw Malformed(description: "status \(status) without a length") }
    // The response to HEAD has no body.
    guard !rest.isEmpty, !rest.starts(with: Array("HTTP/1.1 ".utf8)) else { return }
    guard rest.count >= length else { throw Malformed(description: "incomplete body of status \(status)") }
    rest = rest.dropFirst(length)
  }

  private mutating func readFrame(_ rest: inout ArraySlice<UInt8>) throws(Malformed) {
    guard !isClosed else { throw Malformed(description: "frame after a close frame") }
    let header = Array(rest.prefix(10))
    guard header.count >= 2, header[0] & 0x70 == 0, header[1] & 0x80 == 0 else {
      throw Malformed(description: "malformed frame \(header)")
    }
    var (length, start) = (Int(header[1]), 2)
    if length >= 126 {
      start = length == 126 ? 4 : 10
      guard header.count >= start else { throw Malformed(description: "incomplete length of a frame") }
      length = header[2..<start].reduce(0) { $0 << 8 | Int($1) }
    }
    guard rest.count >= start + length else { throw Malformed(description: "incomplete frame") }
    opcodes.append(header[0] & 0xF)
    if opcodes == [2], length > 1 { firstKind = rest[rest.startIndex + start + 1] }
    rest = rest.dropFirst(start + length)
  }

  /// Checks the output against what the client has sent.
  ///
  /// - Throws: ``Malformed`` if a request has no response, if the page has no `welcome`, or if an invalid frame was accepted.
  func verify(_ connection: HostileConnection) throws(Malformed) {
    if connection.containsHead, statuses.isEmpty { throw Malformed(description: "no response to \(connection)") }
    guard isUpgraded else { return }
    guard firstKind == 1 || opcodes.first == 8 else { throw Malformed(description: "no frame `welcome`") }
    // Frames are read as such only if the last request has opened the WebSocket.
    if connection.isIntact, connection.hasInvalidFrame, statuses.count == connection.requests, !isClosed {
      throw Malformed(description: "an invalid frame was accepted in \(connection)")
    }
  }
}

extension ArraySlice<UInt8> {
  /// The index behind the first empty line, which ends the head of a request or response.
  var endOfHead: Int? {
    var index = startIndex
    while index + 4 <= endIndex {
      if self[index] == 0x0D, self[index + 1] == 0x0A, self[index + 2] == 0x0D, self[index + 3] == 0x0A {
        return index + 4
      }
      index += 1
    }
    return nil
  }
}
