/// The header extension of an RTP packet (RFC 3550, section 5.3.1). [n] stands for n bits.
///
///     profile[16] | length in words[16] | data, words of 32 bits
///
/// The profile identifies the format of the data. A receiver skips an extension that it does not know.
public struct HeaderExtension: Hashable, Sendable, BitwiseCopyable {
  /// The first 16 bits of the extension, "defined by profile".
  public let profile: UInt16
  /// The offset of the data in the packet. Sixteen bits keep ``RTPHeader`` so small that it is passed in registers.
  private let start: UInt16
  /// The length of the data in words of 32 bits.
  public let words: UInt16

  /// The place of the data in the packet. The number of octets is a multiple of four.
  ///
  /// Real-time: safe.
  public var data: Extent {
    @_noLocks @_noAllocation get { Extent(start: Int(start), end: Int(start) + 4 * Int(words)) }
  }

  /// Creates an extension as ``PacketSender`` sends it: `words` words of 32 bits of data, with the extension directly
  /// behind the fixed header.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(profile: UInt16, words: UInt16) {
    self.init(profile: profile, start: UInt16(truncatingIfNeeded: Self.dataOffset), words: words)
  }

  @_noLocks @_noAllocation
  init(profile: UInt16, start: UInt16, words: UInt16) {
    (self.profile, self.start, self.words) = (profile, start, words)
  }

  /// The length of the extension in octets, including its own header of four octets.
  ///
  /// Real-time: safe.
  public var length: Int { @_noLocks @_noAllocation get { 4 + 4 * Int(words) } }

  /// The offset of the data in a packet of ``PacketSender``, 16 octets. The data are zeros at first. The thread that
  /// sends the packet overwrites them immediately before the packet leaves.
  ///
  /// Real-time: safe.
  public static var dataOffset: Int { @_noLocks @_noAllocation get { RTPHeader.length + 4 } }
}
