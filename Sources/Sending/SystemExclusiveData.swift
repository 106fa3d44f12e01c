import BasicContainers
import RTPMIDI

/// The data octets of a System Exclusive message, without F0 and F7. A trivial value that fits into a ring.
public struct SystemExclusiveData: Sendable, BitwiseCopyable {
  /// The maximum number of octets. The timeline message has at most 169, and room for the fields of later releases.
  ///
  /// Real-time: safe.
  public static var capacity: Int { @_noLocks @_noAllocation get { 308 } }

  var octets = InlineArray<308, UInt8>(repeating: 0)
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

  /// Appends the octets to `target`, which has room for them.
  @_noLocks @_noAllocation
  mutating func append(to target: inout RigidArray<UInt8>) { target.append(first: count, of: &octets) }

  /// The octets as an array.
  ///
  /// Real-time: not safe.
  public var array: [UInt8] {
    octets.span.array(first: count)
  }
}

/// A System Exclusive message with a part of a document, for one stream. A trivial value that fits into a ring. The message is too long for
/// a ``StreamCommand``.
public struct DocumentTransmission: Sendable, BitwiseCopyable {
  /// The maximum number of data octets, without F0 and F7. A `DocumentPart` has at most 1057.
  ///
  /// Real-time: safe.
  public static var capacity: Int { @_noLocks @_noAllocation get { 1060 } }

  let stream: StreamID
  var octets = InlineArray<1060, UInt8>(repeating: 0)
  var count = 0

  /// Returns nil if `data` has more than ``capacity`` octets.
  ///
  /// Real-time: not safe.
  public init?(_ data: [UInt8], to stream: StreamID) {
    guard data.count <= Self.capacity else { return nil }
    self.stream = stream
    for octet in data {
      octets[count] = octet
      count += 1
    }
  }

  /// Appends the octets to `target`, which has room for them.
  @_noLocks @_noAllocation
  mutating func append(to target: inout RigidArray<UInt8>) { target.append(first: count, of: &octets) }
}

extension RigidArray where Element == UInt8 {
  /// Appends the first `count` octets of `octets`. The array has room for them.
  // The compiler checks the real-time rules in the callers, which have a concrete capacity. `inout`, because each access to an element of
  // an `InlineArray` copies the whole array if the value is constant.
  fileprivate mutating func append<let capacity: Int>(first count: Int, of octets: inout InlineArray<capacity, UInt8>) {
    var index = 0
    while index < count {
      append(octets[index])
      index += 1
    }
  }
}
