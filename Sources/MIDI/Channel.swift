/// A MIDI channel: 1...16 for users, 0...15 in the low four bits of a status byte.
public struct Channel: Hashable, Sendable, BitwiseCopyable {
  /// The number that is sent in the low four bits of a status byte, 0...15.
  public let wire: UInt8

  /// Creates the channel with the user-visible number `number`. Returns nil unless `number` is 1...16.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init?(_ number: Int) {
    guard number >= 1 && number <= 16 else { return nil }
    wire = UInt8(truncatingIfNeeded: number - 1)
  }

  /// Creates the channel from the low four bits of `status`. The high four bits are ignored.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public init(wire status: UInt8) { wire = status & 0x0F }

  /// The user-visible number, 1...16.
  ///
  /// Real-time: safe.
  @inlinable
  public var number: Int { @_noLocks @_noAllocation get { Int(wire) + 1 } }

  // The operator is written out, because a derived operator lacks the annotations for real-time code.
  @inlinable @_noLocks @_noAllocation
  public static func == (a: Channel, b: Channel) -> Bool { a.wire == b.wire }
}
