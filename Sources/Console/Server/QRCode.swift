import CQrencode

/// A QR code (ISO/IEC 18004), for a terminal or as a picture.
///
/// Real-time: not safe.
public struct QRCode: Sendable {
  /// The number of light modules on each side of the code (ISO/IEC 18004, section 5.3.8).
  public static let quietZone = 4

  /// The number of modules in a row and in a column, without the quiet zone.
  public let width: Int
  /// Whether each module is dark, row by row.
  private let modules: [Bool]

  /// Encodes the UTF-8 octets of `text` with the error correction level L. Nil for an empty text, for a text with more than 2953
  /// octets, or if there is not enough memory.
  public init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // `data` has width * width octets until QRcode_free. Bit 0 of an octet is 1 for a dark module (qrencode.h).
    modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 != 0 }
    self.width = width
  }

  /// Whether a module is dark. `x` and `y` begin with 0 at the upper left corner of the code. Modules outside of the code are light.
  public func isDark(_ x: Int, _ y: Int) -> Bool {
    let range = 0..<width
    return range.contains(x) && range.contains(y) && modules[y * width + x]
  }

  /// An SVG picture of the code with its quiet zone, black on white. A module has the length 1. Without a width and a height, the picture
  /// has any size that the page gives it.
  var svg: String {
    let size = width + 2 * Self.quietZone
    // Each run of dark modules in a row is a rectangle.
    var runs = ""
    for y in 0..<width {
      var x = 0
      while x < width {
        let begin = x
        while isDark(x, y) { x += 1 }
        let left = begin + Self.quietZone
        if x > begin { runs += "M\(left) \(y + Self.quietZone)h\(x - begin)v1H\(left)z" }
        x += 1
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">\
      <path fill="#fff" d="M0 0h\(size)v\(size)H0z"/><path fill="#000" d="\(runs)"/></svg>

      """
  }
}
