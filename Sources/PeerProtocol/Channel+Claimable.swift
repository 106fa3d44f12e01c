public import MIDI

extension Channel {
  /// The channels that a peer may claim: 2...9 and 11...16. Bit n (bit 0 is the least significant) is 1 if channel n +
  /// 1 is one of them.
  ///
  /// Real-time: not safe.
  public static var claimable: UInt16 { 0b1111_1101_1111_1110 }

  /// Whether a peer may claim this channel. Channel 1 carries activity and channel 10 carries the drums.
  ///
  /// Real-time: not safe.
  public var isClaimable: Bool { Self.claimable >> wire & 1 != 0 }
}
