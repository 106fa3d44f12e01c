/// A property of an instrument, 0...127, that follows a control of the player or is constant.
public struct ControlMapping: Hashable, Sendable, BitwiseCopyable {
  /// The control; nil for a constant.
  public let source: ControlSource?
  /// The value of the property at control value 0, 0...127.
  public let lower: UInt8
  /// The value of the property at control value 127, 0...127. It may be less than ``lower``.
  public let upper: UInt8

  /// Creates a property that follows `source`, linearly from `lower` to `upper`.
  ///
  /// Real-time: not safe.
  public init(_ source: ControlSource, from lower: UInt8 = 0, to upper: UInt8 = 127) {
    (self.source, self.lower, self.upper) = (source, min(lower, 127), min(upper, 127))
  }

  /// Creates a constant property with the value `value`, 0...127.
  ///
  /// Real-time: not safe.
  public init(constant value: UInt8) { (source, lower, upper) = (nil, min(value, 127), min(value, 127)) }

  /// The notation in a patch: `force`, `force, 40..110` or `90`.
  ///
  /// Real-time: not safe.
  public var name: String {
    guard let source else { return "\(lower)" }
    return source.name + (lower == 0 && upper == 127 ? "" : ", \(lower)..\(upper)")
  }

  /// Returns the value of the property, rounded to the nearest integer, when the control has the value `control`, 0...127. A larger
  /// `control` counts as 127.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func value(at control: UInt8) -> UInt8 {
    let position = control < 127 ? Int(control) : 127
    // `sum` is 127 times the exact value of the property, and is not negative. The quotient 2 * `sum` / 254 is the exact value. The
    // integer division rounds down, so half of the divisor, 127, is added to round to the nearest integer.
    let sum = Int(lower) &* (127 &- position) &+ Int(upper) &* position
    return UInt8(truncatingIfNeeded: (2 &* sum &+ 127) / 254)
  }
}
