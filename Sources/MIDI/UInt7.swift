/// The value of one MIDI data byte, 0...127. The type excludes values out of range, so no message can contain one.
public struct UInt7: Hashable, Comparable, Sendable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  /// The value, 0...127.
  public let value: UInt8

  /// Creates the value `value`. Returns nil unless `value` is 0...127.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init?(exactly value: Int) {
    guard value >= 0 && value <= 127 else { return nil }
    self.value = UInt8(truncatingIfNeeded: value)
  }

  /// Creates the value in 0...127 that is nearest to `value`.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(clamping value: Int) {
    self.value = value < 0 ? 0 : value > 127 ? 127 : UInt8(truncatingIfNeeded: value)
  }

  /// Creates the value from the low seven bits of `byte`. The eighth bit is ignored.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(masking byte: UInt8) { value = byte & 0x7F }

  /// Creates the value from a literal. Traps if the literal is outside 0...127, because such a literal is an error in the program, not
  /// in its input.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(integerLiteral value: UInt8) {
    precondition(value <= 127, "a MIDI data byte is 0...127")
    self.value = value
  }

  // All comparison operators are written out, because real-time code must not call the generic operators of the standard library.
  @inlinable @_noLocks @_noAllocation
  public static func < (a: UInt7, b: UInt7) -> Bool { a.value < b.value }
  @inlinable @_noLocks @_noAllocation
  public static func <= (a: UInt7, b: UInt7) -> Bool { a.value <= b.value }
  @inlinable @_noLocks @_noAllocation
  public static func > (a: UInt7, b: UInt7) -> Bool { a.value > b.value }
  @inlinable @_noLocks @_noAllocation
  public static func >= (a: UInt7, b: UInt7) -> Bool { a.value >= b.value }
  @inlinable @_noLocks @_noAllocation
  public static func == (a: UInt7, b: UInt7) -> Bool { a.value == b.value }
}
