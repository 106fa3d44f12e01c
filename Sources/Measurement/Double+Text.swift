import Foundation

extension Double? {
  /// A value in nanoseconds, shown in microseconds with three decimal places, or a dash if there is none.
  var microseconds: String { fixed(3, scale: 1e-3) }

  /// The number times `scale` with `places` decimal places, or a dash if there is none.
  func fixed(_ places: Int, scale: Double = 1) -> String {
    guard let self else { return "-" }
    let text = String(format: "%.\(places)f", self * scale)
    // Rounding can leave a negative zero.
    let isZero = self.isFinite && !text.contains { ("1"..."9").contains($0) }
    return isZero ? text.replacingOccurrences(of: "-", with: "") : text
  }

  /// The number with two significant digits, or a dash if there is none.
  var short: String { self.map { String(format: "%.2g", $0) } ?? "-" }

  /// The number in scientific notation with four digits, or a dash if there is none.
  var scientific: String { self.map { String(format: "%.3e", $0) } ?? "-" }
}
