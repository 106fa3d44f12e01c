/// The data octets of a System Exclusive message, without F0 and F7. A trivial value that fits into a ring.
public struct SystemExclusiveData: Sendable, BitwiseCopyable {
  /// The maximum number of octets. The longest message of the Tutti protocol, the timeline message, has 104.
  ///
  /// Real-time: safe.
  public static var capacity: Int { @_noLocks @_noAllocation get { 112 } }

  var octets = InlineArray<112, UInt8>(repeating: 0)
  var count = 0

  /// Returns nil if `data` has more than ``capacity`` octets.
  ///
  /// Real-time: not safe.
  public init?(_ data: [UInt8]) {
    guard data.count <= Self.capacity else { return nil }
    for octet in data {
      octets[count] = octet
      count += 1
    }
  }

  /// The octets as an array.
  ///
  /// Real-time: not safe.
  public var array: [UInt8] { (0..<count).map { octets[$0] } }
}
