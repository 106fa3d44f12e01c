import Foundation

@testable import Console

/// A WebSocket client in the role of a web page. A frame is a message between a page and its peer (``Frame``), in one binary message of
/// the WebSocket.
final class PageClient {
  private let connection: RawConnection
  /// The octets that were received and not decoded yet.
  private var received: [UInt8] = []
  /// The number of the last frame that was sent.
  private var sequence: UInt32 = 0

  /// Opens a WebSocket connection to a peer with a token of its page.
  ///
  /// - Parameter origin: the content of the header `Origin`; nil for no header.
  /// - Throws: `RawConnection.Failure` with the status line if the server refuses.
  init(port: Int, token: String, origin: String? = nil) throws {
    connection = try RawConnection(port: port)
    connection.send(
      "GET /socket HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + (origin.map { "Origin: \($0)\r\n" } ?? "")
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Protocol: tutti.1, token.\(token)\r\n\r\n")
    let end = Array("\r\n\r\n".utf8)
    while received.firstRange(of: end) == nil {
      let octets = connection.receive()
      guard !octets.isEmpty else { throw RawConnection.Failure(description: "closed during the handshake") }
      received += octets
    }
    let head = String(decoding: received[..<received.firstRange(of: end)!.upperBound], as: UTF8.self)
    guard head.hasPrefix("HTTP/1.1 101") else {
      throw RawConnection.Failure(description: String(head.prefix { $0 != "\r\n" }))
    }
    received.removeFirst(head.utf8.count)
  }

  /// Sends a frame with a mask (RFC 6455, section 5.3). Returns false if the connection is closed.
  @discardableResult
  func send(_ kind: FrameKind, _ payload: [UInt8] = [], at nanoseconds: Int64 = 0) -> Bool {
    sequence += 1
    let frame = Frame(
      kind, sequence: sequence, at: .init(nanoseconds: nanoseconds), payload: .init(bytes: payload))
    let octets = Array(frame.encoded.readableBytesView)
    let length: [UInt8] =
      octets.count < 126
      ? [0x80 | UInt8(octets.count)] : [0xFE, UInt8(octets.count >> 8), UInt8(truncatingIfNeeded: octets.count)]
    // 0x82 is the flag FIN and the opcode of a binary message. The flag 0x80 of the length announces a mask. 0xFE is this flag and the
    // length 126, after which two octets contain the real length. The mask zero leaves the octets unchanged (RFC 6455, section 5.2).
    return connection.send([0x82] + length + [0, 0, 0, 0] + octets)
  }

  /// Sends a command of the page in JSON. Returns false if the connection is closed.
  @discardableResult
  func command(_ json: String) -> Bool { send(.command, Array(json.utf8)) }

  /// Waits for the next frame of the peer, and skips the control frames of WebSocket. Returns nil if the connection is closed.
  func next() -> Frame? {
    while true {
      if let message = takeMessage() {
        // 8 is a close frame, and 2 is a binary message (RFC 6455, section 5.2).
        if message.opcode == 8 { return nil }
        // ``Frame`` accepts only short frames, because a peer decodes only the frames of pages. The frames of a peer can be longer.
        if message.opcode == 2, let frame = Frame(unlimited: message.octets) { return frame }
        continue
      }
      let octets = connection.receive()
      if octets.isEmpty { return nil }
      received += octets
    }
  }

  /// Waits for the next frame of this kind that `isWanted` accepts. Returns nil if the connection is closed.
  func next(_ kind: FrameKind, where isWanted: (Frame) -> Bool = { _ in true }) -> Frame? {
    while let frame = next() { if frame.kind == kind, isWanted(frame) { return frame } }
    return nil
  }

  /// Takes a complete message from the received octets; nil if there is none. Messages of the server have no mask.
  private func takeMessage() -> (opcode: UInt8, octets: [UInt8])? {
    guard received.count >= 2 else { return nil }
    var (length, header) = (Int(received[1] & 0x7F), 2)
    if length == 126 {
      guard received.count >= 4 else { return nil }
      (length, header) = (Int(received[2]) << 8 | Int(received[3]), 4)
    } else if length == 127 {
      guard received.count >= 10 else { return nil }
      (length, header) = (received[2..<10].reduce(0) { $0 << 8 | Int($1) }, 10)
    }
    guard received.count >= header + length else { return nil }
    let (opcode, octets) = (received[0] & 0xF, Array(received[header..<header + length]))
    received.removeFirst(header + length)
    return (opcode, octets)
  }
}

extension Frame {
  /// Decodes a frame of any length.
  fileprivate init?(unlimited octets: [UInt8]) {
    guard octets.count >= Frame.headerLength else { return nil }
    guard var frame = Frame(.init(bytes: octets.prefix(Frame.headerLength))) else { return nil }
    frame.payload = .init(bytes: octets.dropFirst(Frame.headerLength))
    self = frame
  }
}
