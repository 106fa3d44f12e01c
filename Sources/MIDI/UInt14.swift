/// Fourteen bits, 0...16383, which MIDI sends as two data bytes, the low seven bits first: pitch bend and song
/// position.
public struct UInt14: Hashable, Comparable, Sendable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  /// 0...16383.
  public let value: UInt16

  /// `value`, or nil unless it is 0...16383.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init?(exactly value: Int) {
    guard value >= 0 && value <= 16383 else { return nil }
    self.value = UInt16(truncatingIfNeeded: value)
  }

  /// The nearest of 0...16383.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(clamping value: Int) {
    self.value = value < 0 ? 0 : value > 16383 ? 16383 : UInt16(truncatingIfNeeded: value)
  }

  /// The value of two data bytes, in the order in which they are sent.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(low: UInt7, high: UInt7) { value = UInt16(high.value) << 7 | UInt16(low.value) }

  /// A number written in the program. Traps outside 0...16383: that is a mistake of the program, not of its input.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(integerLiteral value: UInt16) {
    precondition(value <= 16383, "a MIDI 14-bit value is 0...16383")
    self.value = value
  }

  /// The data byte sent first.
  ///
  /// Real-time: safe.
  @inlinable
  public var low: UInt7 { @_noLocks @_noAllocation get { UInt7(masking: UInt8(truncatingIfNeeded: value)) } }
  /// The data byte sent second.
  ///
  /// Real-time: safe.
  @inlinable
  public var high: UInt7 { @_noLocks @_noAllocation get { UInt7(masking: UInt8(truncatingIfNeeded: value >> 7)) } }

  // All six comparisons are written out: the standard library's generic ones may not be called from real-time code.
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
