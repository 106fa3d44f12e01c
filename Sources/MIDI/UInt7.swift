/// The value of one MIDI data byte, 0...127. A value out of range cannot exist, so no message can hold one.
public struct UInt7: Hashable, Comparable, Sendable, BitwiseCopyable, ExpressibleByIntegerLiteral {
  /// 0...127.
  public let value: UInt8

  /// `value`, or nil unless it is 0...127.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init?(exactly value: Int) {
    guard value >= 0 && value <= 127 else { return nil }
    self.value = UInt8(truncatingIfNeeded: value)
  }

  /// The nearest of 0...127, as a fader does at its ends.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(clamping value: Int) {
    self.value = value < 0 ? 0 : value > 127 ? 127 : UInt8(truncatingIfNeeded: value)
  }

  /// The low seven bits of a byte from the wire; the eighth is dropped.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(masking byte: UInt8) { value = byte & 0x7F }

  /// A number written in the program. Traps outside 0...127: that is a mistake of the program, not of its input.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(integerLiteral value: UInt8) {
    precondition(value <= 127, "a MIDI data byte is 0...127")
    self.value = value
  }

  // All six comparisons are written out: the standard library's generic ones may not be called from real-time code.
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
