import Foundation

extension Double? {
  /// The text of a value in nanoseconds: in microseconds with three decimal places, or a dash for nil.
  var microseconds: String { fixed(3, scale: 1e-3) }

  /// Returns the text of the number times `scale`, with `places` decimal places, or a dash for nil.
  func fixed(_ places: Int, scale: Double = 1) -> String {
    guard let self else { return "-" }
    let text = String(format: "%.\(places)f", self * scale)
    // A small negative number is rounded to "-0.0". The sign is removed.
    let isZero = self.isFinite && !text.contains { ("1"..."9").contains($0) }
    return isZero ? text.replacingOccurrences(of: "-", with: "") : text
  }

  /// The text of the number with two significant digits, or a dash for nil.
  var short: String { self.map { String(format: "%.2g", $0) } ?? "-" }

  /// The text of the number in scientific notation with four significant digits, or a dash for nil.
  var scientific: String { self.map { String(format: "%.3e", $0) } ?? "-" }
}
