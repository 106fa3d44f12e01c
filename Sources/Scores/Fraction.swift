/// An exact fraction of a quarter note: an onset, a length, or a ratio of lengths. The denominator is positive, and the fraction is
/// reduced, so two equal fractions have the same numbers.
///
/// Onsets and lengths are sums of values such as 1/3, 1/4 and 1/5, which no fixed number of ticks divides. The arithmetic therefore is
/// exact (Knuth, The Art of Computer Programming 2, section 4.5.1), and a result that does not fit into 64 bits is an error instead of a
/// wrong position. ``Score/Limits`` bounds the denominators of a score, so that sums within a valid score always fit.
public struct Fraction: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number above the line, in units of 1/``denominator``.
  public let numerator: Int64
  /// The number below the line, 1 or more.
  public let denominator: Int64

  public static let zero = Fraction(0)

  /// The integer `value`.
  public init(_ value: Int) { (numerator, denominator) = (Int64(value), 1) }

  /// The fraction `numerator`/`denominator`, reduced. Returns nil if `denominator` is 0, or if a number is `Int64.min`, which has no
  /// positive counterpart.
  public init?(_ numerator: Int64, _ denominator: Int64) {
    guard denominator != 0, numerator != .min, denominator != .min else { return nil }
    let divisor = Fraction.divisor(numerator.magnitude, denominator.magnitude)
    let sign: Int64 = denominator < 0 ? -1 : 1
    self.init(reduced: sign * numerator / Int64(divisor), sign * denominator / Int64(divisor))
  }

  private init(reduced numerator: Int64, _ denominator: Int64) {
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// The sum.
  ///
  /// - Throws: ``FractionError`` if the sum does not fit.
  public static func + (a: Fraction, b: Fraction) throws(FractionError) -> Fraction {
    if a.denominator == b.denominator {
      let (sum, overflow) = a.numerator.addingReportingOverflow(b.numerator)
      if !overflow, let result = Fraction(sum, a.denominator) { return result }
    }
    return try reducing(
      Int128(a.numerator) * Int128(b.denominator) + Int128(b.numerator) * Int128(a.denominator),
      Int128(a.denominator) * Int128(b.denominator))
  }

  /// The difference.
  ///
  /// - Throws: ``FractionError`` if the difference does not fit.
  public static func - (a: Fraction, b: Fraction) throws(FractionError) -> Fraction {
    try a + Fraction(reduced: 0 - b.numerator, b.denominator)
  }

  /// The product.
  ///
  /// - Throws: ``FractionError`` if the product does not fit.
  public static func * (a: Fraction, b: Fraction) throws(FractionError) -> Fraction {
    try reducing(
      Int128(a.numerator) * Int128(b.numerator), Int128(a.denominator) * Int128(b.denominator))
  }

  /// The quotient.
  ///
  /// - Throws: ``FractionError`` if `b` is 0 or the quotient does not fit.
  public static func / (a: Fraction, b: Fraction) throws(FractionError) -> Fraction {
    try reducing(
      Int128(a.numerator) * Int128(b.denominator), Int128(a.denominator) * Int128(b.numerator))
  }

  public static func < (a: Fraction, b: Fraction) -> Bool {
    a.denominator == b.denominator
      ? a.numerator < b.numerator
      : Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
  }

  /// The fraction times `count`, rounded down to an integer. Saturates at the ends of Int64.
  public func floor(times count: Int64) -> Int64 { Fraction.quotient(Int128(numerator) * Int128(count), denominator) }

  /// The fraction times `count`, rounded to the nearest integer, halves up. Saturates at the ends of Int64.
  public func rounded(times count: Int64) -> Int64 {
    Fraction.quotient(Int128(numerator) * Int128(count) * 2 + Int128(denominator), denominator, by: 2)
  }

  /// The fraction as a number for reports. Not exact.
  public var value: Double { Double(numerator) / Double(denominator) }

  private static func quotient(_ dividend: Int128, _ denominator: Int64, by factor: Int128 = 1) -> Int64 {
    var (quotient, rest) = dividend.quotientAndRemainder(dividingBy: Int128(denominator) * factor)
    if rest < 0 { quotient -= 1 }
    return Int64(clamping: quotient)
  }

  private static func reducing(_ numerator: Int128, _ denominator: Int128) throws(FractionError) -> Fraction {
    guard denominator != 0 else { throw FractionError() }
    var (a, b) = (numerator.magnitude, denominator.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    let sign: Int128 = denominator < 0 ? -1 : 1
    guard let above = Int64(exactly: sign * numerator / Int128(a)),
      let below = Int64(exactly: sign * denominator / Int128(a)), above != .min
    else { throw FractionError() }
    return Fraction(reduced: above, below)
  }

  /// The greatest common divisor; `b` if `a` is 0.
  static func divisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}

extension Fraction: CustomStringConvertible {
  /// `3/2`, or `2` for an integer.
  public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

/// The error for a fraction that does not fit into 64 bits.
public struct FractionError: Error, Hashable, Sendable, CustomStringConvertible {
  public init() {}

  public var description: String { "the rhythm is too fine; use simpler note values" }
}
