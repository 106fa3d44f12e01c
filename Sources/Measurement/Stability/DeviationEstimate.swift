/// An Allan deviation or a time deviation, and the number of terms from which it was calculated.
struct DeviationEstimate: Hashable {
  /// The deviation, in the unit of the phase. An Allan deviation itself has no unit, so it is stored multiplied by the observation
  /// time.
  var value: Double
  /// The number of squared terms in the root mean square.
  var terms: Int
}
