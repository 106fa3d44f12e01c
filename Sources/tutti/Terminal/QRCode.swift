import CQrencode

/// A QR code (ISO/IEC 18004) that a terminal shows.
struct QRCode {
  /// The number of light modules on each side of the code (ISO/IEC 18004, section 5.3.8).
  private static let quietZone = 4
  /// SGR of ECMA-48 with the 256 colours of xterm: black (16) on white (231). Both colours are set, so that the code is readable on
  /// dark and on light terminals.
  private static let (colours, noColours) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")

  /// The number of modules in a row and in a column, without the quiet zone.
  private let width: Int
  /// Whether each module is dark, row by row.
  private let modules: [Bool]

  /// Encodes the UTF-8 octets of `text` with the error correction level L. Nil for an empty text, for a text with more than 2953
  /// octets, or if there is not enough memory.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // `data` has width * width octets until QRcode_free. Bit 0 of an octet is 1 for a dark module (qrencode.h).
    modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 != 0 }
    self.width = width
  }

  /// The number of terminal columns of the code with its quiet zone.
  var columns: Int { width + 2 * Self.quietZone }

  /// The terminal lines of the code with its quiet zone. Each character shows two modules, one above the other.
  var lines: [String] {
    let range = -Self.quietZone..<(width + Self.quietZone)
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
      let characters = range.map { x in
        switch (isDark(x, y), isDark(x, y + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return Self.colours + characters.joined() + Self.noColours
    }
  }

  private func isDark(_ x: Int, _ y: Int) -> Bool {
    let range = 0..<width
    return range.contains(x) && range.contains(y) && modules[y * width + x]
  }
}
