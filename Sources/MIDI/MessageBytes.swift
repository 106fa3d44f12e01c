/// The encoded form of a ``Message``: one, two or three bytes.
public struct MessageBytes: Sendable, BitwiseCopyable {
  /// The bytes. The bytes at index ``count`` and above are 0 and are not sent.
  public let octets: InlineArray<3, UInt8>
  /// The number of bytes, 1...3.
  public let count: Int

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(octets: InlineArray<3, UInt8>, count: Int) {
    self.octets = octets
    self.count = count
  }
}
