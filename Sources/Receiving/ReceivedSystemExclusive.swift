import RTPMIDI

/// The data octets of a received System Exclusive message, without F0 and F7. A trivial value that fits into a ring.
public struct ReceivedSystemExclusive: Sendable, BitwiseCopyable {
  private var octets = InlineArray<1060, UInt8>(repeating: 0)
  private var count = 0

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Copies the first 1060 octets of the System Exclusive message that `receiver` has just completed.
  @_noLocks @_noAllocation
  init(of receiver: borrowing PacketReceiver) {
    let length = min(receiver.systemExclusiveCount, octets.count)
    while count < length {
      octets[count] = receiver.systemExclusive(at: count)
      count += 1
    }
  }

  /// The octets as an array.
  ///
  /// Real-time: not safe.
  public var array: [UInt8] { (0..<count).map { octets[$0] } }
}
