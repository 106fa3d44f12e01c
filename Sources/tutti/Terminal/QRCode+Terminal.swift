import Console

// A QR code on a terminal.
extension QRCode {
  /// SGR of ECMA-48 with the 256 colours of xterm: black (16) on white (231). Both colours are set, so that the code is readable on
  /// dark and on light terminals.
  private static let (colours, noColours) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")

  /// The number of terminal columns of the code with its quiet zone.
  var columns: Int { width + 2 * Self.quietZone }

  /// The terminal lines of the code with its quiet zone. Each character shows two modules, one above the other. Without colours, a dark
  /// terminal shows the code light on dark, which most phones read too.
  func lines(hasColours: Bool) -> [String] {
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
      return hasColours ? Self.colours + characters.joined() + Self.noColours : characters.joined()
    }
  }
}
