import CZlib
import Cryptography
import NIOCore
import NIOHTTP1

/// A text file of the page in two forms: unchanged, and compressed with gzip (RFC 1952). Both are created once, at the start.
struct PageFile: Sendable {
  /// One form of the file.
  struct Form: Sendable {
    var octets: ByteBuffer
    /// The strong entity tag (RFC 9110, section 8.8.3), with its quotation marks. The two forms of a file have different tags, because their
    /// octets differ.
    var tag: String
    /// Whether the octets are compressed with gzip.
    var isCompressed: Bool
  }

  /// The media type, for the header `Content-Type`.
  let type: String
  private let plain: Form
  /// Nil if the compressed form is not shorter.
  private let compressed: Form?

  /// - Parameters:
  ///   - type: the media type.
  ///   - octets: the contents of the file.
  init(type: String, octets: [UInt8]) {
    self.type = type
    // 16 octets of the hash are enough to distinguish the versions of a file.
    let hash = SHA256.hash(of: octets).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    plain = Form(octets: ByteBuffer(bytes: octets), tag: "\"\(hash)\"", isCompressed: false)
    compressed = Self.compress(octets).flatMap {
      $0.count < octets.count ? Form(octets: ByteBuffer(bytes: $0), tag: "\"\(hash)-gzip\"", isCompressed: true) : nil
    }
  }

  /// The octets of both forms together.
  var size: Int { plain.octets.readableBytes + (compressed?.octets.readableBytes ?? 0) }

  /// The form for a request with these headers.
  func form(for request: HTTPHeaders) -> Form { compressed.flatMap { Self.acceptsGzip(request) ? $0 : nil } ?? plain }

  /// Whether the client accepts gzip (RFC 9110, section 12.5.3). A coding with the quality 0 is not acceptable. Without the header, the
  /// client gets the file unchanged.
  private static func acceptsGzip(_ request: HTTPHeaders) -> Bool {
    var gzip: Bool?
    var others: Bool?
    for element in request[canonicalForm: "accept-encoding"] {
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      switch parts.first {
      case "gzip", "x-gzip": gzip = quality > 0
      case "*": others = quality > 0
      default: break
      }
    }
    return gzip ?? others ?? false
  }

  /// Compresses `octets` with the highest level. Nil if there is not enough memory.
  private static func compress(_ octets: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 is the largest window, 32 KiB. 16 more selects the format gzip. 9 is the largest memory of the compressor, 256 KiB (zlib.h).
    guard
      deflateInit2_(
        &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var (input, output) = (octets, [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(octets.count)))))
    let length = input.withUnsafeMutableBufferPointer { input -> Int? in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        return deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : nil
      }
    }
    return length.map { Array(output.prefix($0)) }
  }
}

extension PageFile.Form {
  /// Whether the client has this form already: `If-None-Match` contains the tag, or is `*`. Weak tags count too (RFC 9110, section 13.1.2).
  func isKnown(to request: HTTPHeaders) -> Bool {
    request[canonicalForm: "if-none-match"].contains { $0 == "*" || ($0.hasPrefix("W/") ? $0.dropFirst(2) : $0) == tag }
  }

  /// The headers of a response with this form, and of a response without it because the client has it already.
  ///
  /// With `no-cache`, a browser asks before each use whether its copy is the newest version. So a new program is used at once.
  var headers: HTTPHeaders {
    var headers: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": tag, "Vary": "Accept-Encoding"]
    if isCompressed { headers.add(name: "Content-Encoding", value: "gzip") }
    return headers
  }
}
