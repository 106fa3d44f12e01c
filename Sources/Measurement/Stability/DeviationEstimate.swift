/// A root mean square and the number of terms in it.
struct DeviationEstimate: Hashable {
  /// The deviation, in the unit of the phase; divide by the observation time for a fractional frequency.
  var value: Double
  /// The number of terms.
  var terms: Int
}
