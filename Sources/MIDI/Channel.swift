/// A MIDI channel: 1...16 for people, 0...15 in the low half of a status byte.
public struct Channel: Hashable, Sendable, BitwiseCopyable {
  /// 0...15, as sent.
  public let wire: UInt8

  /// The channel that people call `number`, or nil unless that is 1...16.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init?(_ number: Int) {
    guard number >= 1 && number <= 16 else { return nil }
    wire = UInt8(truncatingIfNeeded: number - 1)
  }

  /// The channel in the low half of a status byte; the high half is dropped.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(wire status: UInt8) { wire = status & 0x0F }

  /// 1...16, as people count.
  ///
  /// Real-time: safe.
  @inlinable
  public var number: Int { @_noLocks @_noAllocation get { Int(wire) + 1 } }

  @inlinable @_noLocks @_noAllocation
  public static func == (a: Channel, b: Channel) -> Bool { a.wire == b.wire }
}
