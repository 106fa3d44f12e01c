/// The range of a linear axis when a few outliers would flatten all other values.
///
/// The range reaches from the 1st to the 99th percentile, widened on both sides by the distance between them. It is used only if the
/// values span more than four times this distance; otherwise the axis shows all values. Values outside the range are not hidden: an open
/// triangle at the edge marks each of them, and the key states their number and the largest magnitude.
struct RobustRange {
  let range: ClosedRange<Double>

  /// Determines the range for `values`; nil if the axis can show all of them.
  init?(_ values: some Sequence<Double>) {
    let sorted = values.filter(\.isFinite).sorted()
    guard let lowest = sorted.first, let highest = sorted.last else { return nil }
    let low = sorted[(sorted.count - 1) / 100]
    let high = sorted[sorted.count - 1 - (sorted.count - 1) / 100]
    let width = high - low
    guard width > 0, highest - lowest > 4 * width else { return nil }
    range = low - width...high + width
  }

  /// The command that sets the range of the y axis for `values`: without outliers, and at least 0.02 wide, so that the labels of equal
  /// values are short. Empty if the axis can show all values.
  static func settings(_ values: [Double], _ robust: RobustRange?) -> [String] {
    if let robust { return [robust.setting] }
    guard let low = values.min(), let high = values.max(), high - low < 0.02 else { return [] }
    let center = ((low + high) * 50).rounded() / 100
    return ["set yrange [\(center - 0.05):\(center + 0.05)]"]
  }

  /// The label of a histogram over this range.
  static func label(_ quantity: String, _ robust: RobustRange?) -> String {
    robust == nil ? quantity : "\(quantity) (the first and the last bin contain all values outside)"
  }

  /// The command that sets the range of the y axis.
  var setting: String { "set yrange [\(range.lowerBound):\(range.upperBound)]" }

  /// Returns a block of data and the curve that marks the points outside the range.
  ///
  /// - Parameters:
  ///   - name: the name of the block.
  ///   - points: all points.
  ///   - unit: the unit of y.
  func outside(_ name: String, _ points: [(x: Double, y: Double)], unit: String) -> (data: String, curve: String) {
    let outside = points.filter { !range.contains($0.y) }
    let lines = outside.map { "\($0.x) \(min(max($0.y, range.lowerBound), range.upperBound))" }
    let largest = outside.map { abs($0.y) }.max() ?? 0
    let title = Gnuplot.quoted(
      "outside the axis: \(outside.count), up to \(largest.fixed(largest < 100 ? 1 : 0)) \(unit)")
    return (Gnuplot.data(name, lines), "$\(name) using 1:2 with points pt 8 ps 0.8 lc rgb 'black' title \(title)")
  }
}

extension ClosedRange<Double> {
  /// The range with both ends multiplied by `factor`, which is greater than 0.
  func scaled(by factor: Double) -> ClosedRange<Double> { lowerBound * factor...upperBound * factor }
}
