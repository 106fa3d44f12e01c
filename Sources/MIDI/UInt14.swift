/// A 14-bit value, 0...16383, as in pitch bend and song position. MIDI sends it as two data bytes, the low seven bits
/// first.
public struct UInt14: Hashable, Comparable, Sendable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  /// The value, 0...16383.
  public let value: UInt16

  /// Creates the value `value`. Returns nil unless `value` is 0...16383.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init?(exactly value: Int) {
    guard value >= 0 && value <= 16383 else { return nil }
    self.value = UInt16(truncatingIfNeeded: value)
  }

  /// Creates the value in 0...16383 that is nearest to `value`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(clamping value: Int) {
    self.value = value < 0 ? 0 : value > 16383 ? 16383 : UInt16(truncatingIfNeeded: value)
  }

  /// Creates the value from two data bytes. `low` is sent first.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(low: UInt7, high: UInt7) { value = UInt16(high.value) << 7 | UInt16(low.value) }

  /// Creates the value from a literal. Traps if the literal is outside 0...16383, because such a literal is an error in the program, not
  /// in its input.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(integerLiteral value: UInt16) {
    precondition(value <= 16383, "a MIDI 14-bit value is 0...16383")
    self.value = value
  }

  /// The low seven bits, the data byte sent first.
  ///
  /// Real-time: safe.
  @inlinable
  public var low: UInt7 { @_noLocks @_noAllocation get { UInt7(masking: UInt8(truncatingIfNeeded: value)) } }
  /// The high seven bits, the data byte sent second.
  ///
  /// Real-time: safe.
  @inlinable
  public var high: UInt7 { @_noLocks @_noAllocation get { UInt7(masking: UInt8(truncatingIfNeeded: value >> 7)) } }

  // All comparison operators are written out, because real-time code must not call the generic operators of the standard library.
  @inlinable @_noLocks @_noAllocation
  public static func < (a: UInt14, b: UInt14) -> Bool { a.value < b.value }
  @inlinable @_noLocks @_noAllocation
  public static func <= (a: UInt14, b: UInt14) -> Bool { a.value <= b.value }
  @inlinable @_noLocks @_noAllocation
  public static func > (a: UInt14, b: UInt14) -> Bool { a.value > b.value }
  @inlinable @_noLocks @_noAllocation
  public static func >= (a: UInt14, b: UInt14) -> Bool { a.value >= b.value }
  @inlinable @_noLocks @_noAllocation
  public static func == (a: UInt14, b: UInt14) -> Bool { a.value == b.value }
}
