/// The range of a linear axis when a few outliers would flatten all other values.
///
/// The range reaches from the 1st to the 99th percentile, widened on both sides by the distance between them. It is used only if the
/// values span more than four times this distance; otherwise the axis shows all values. Values outside the range are not hidden: an open
/// triangle at the edge marks each of them, and the key states their number and the largest magnitude.
struct RobustRange {
  private(set) var range: ClosedRange<Double>

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

  /// Determines the range for `series`, each in the order of time; nil if the axis can show all values. Only an isolated value is an outlier:
  /// the range contains the medians of three successive values. A response of two or more values therefore remains visible.
  init?(isolatedIn series: [[Double]]) {
    let values = series.flatMap(\.self)
    guard let robust = RobustRange(values) else { return nil }
    var (low, high) = (robust.range.lowerBound, robust.range.upperBound)
    for values in series {
      for (first, (second, third)) in zip(values, zip(values.dropFirst(), values.dropFirst(2))) {
        let median = max(min(first, second), min(max(first, second), third))
        (low, high) = (min(low, median), max(high, median))
      }
    }
    range = low...high
    if values.allSatisfy(range.contains) { return nil }
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

  /// Returns a block of data, the curve that marks the points outside the range, and a note about them for the label of the x axis.
  ///
  /// - Parameters:
  ///   - name: the name of the block.
  ///   - points: all points.
  ///   - unit: the unit of y.
  ///   - isInKey: whether the key contains the number and the largest magnitude of these points. In a plot with several curves, the label of
  ///     the x axis contains them instead, because the columns of a key are as wide as its longest title.
  func outside(
    _ name: String, _ points: [(x: Double, y: Double)], unit: String, isInKey: Bool = true
  ) -> (data: String, curve: String, note: String) {
    let outside = points.filter { !range.contains($0.y) }
    let lines = outside.map { "\($0.x) \(min(max($0.y, range.lowerBound), range.upperBound))" }
    let largest = outside.map { abs($0.y) }.max() ?? 0
    let extent = "\(outside.count), up to \(largest.fixed(largest < 100 ? 1 : 0)) \(unit)"
    let title = isInKey ? "title \(Gnuplot.quoted("outside the axis: \(extent)"))" : "notitle"
    return (
      Gnuplot.data(name, lines), "$\(name) using 1:2 with points pt 8 ps 0.8 lc rgb 'black' \(title)",
      "(△ outside: \(extent))"
    )
  }
}

extension ClosedRange<Double> {
  /// The range with both ends multiplied by `factor`, which is greater than 0.
  func scaled(by factor: Double) -> ClosedRange<Double> { lowerBound * factor...upperBound * factor }
}
