import BasicContainers

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
  // Mutating, because each access to an element of an `InlineArray` copies the whole array if the value is constant.
  @_noLocks @_noAllocation
  mutating func append(to target: inout RigidArray<UInt8>) {
    var index = 0
    while index < count {
      target.append(octets[index])
      index += 1
    }
  }

  /// The octets as an array.
  ///
  /// Real-time: not safe.
  public var array: [UInt8] {
    // A span, because each access to an element of the `InlineArray` would copy the whole array.
    let (octets, count) = (octets, count)
    let span = octets.span
    var array: [UInt8] = []
    array.reserveCapacity(count)
    for index in 0..<count { array.append(span[index]) }
    return array
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
  // Mutating, because each access to an element of an `InlineArray` copies the whole array if the value is constant.
  @_noLocks @_noAllocation
  mutating func append(to target: inout RigidArray<UInt8>) {
    var index = 0
    while index < count {
      target.append(octets[index])
      index += 1
    }
  }
}
