package import BasicContainers
import MIDI

/// The octets of a hex dump. The rest of a line after ";" is a comment.
package func hex(_ dump: String) -> [UInt8] {
  dump.split(separator: "\n").flatMap { line in
    line.prefix { $0 != ";" }.split(separator: " ").map { UInt8($0, radix: 16)! }
  }
}

/// The octets in a fixed-capacity array, which real-time code can borrow.
package func rigid(_ octets: [UInt8]) -> RigidArray<UInt8> {
  var array = RigidArray<UInt8>(capacity: octets.count)
  for octet in octets { array.append(octet) }
  return array
}

/// The data octets of a System Exclusive message in the form that ``PacketSender`` encodes.
func rigid(_ data: [UInt7]) -> RigidArray<UInt8> { rigid(data.map(\.value)) }

/// The octets that `encode` appends to an empty packet with room for `capacity` octets.
package func octets(capacity: Int = 1472, _ encode: (inout RigidArray<UInt8>) -> Void) -> [UInt8] {
  var packet = RigidArray<UInt8>(capacity: capacity)
  encode(&packet)
  // `Array` copies the memory at once. In a debug build, a loop over the octets would take most of the time of some tests.
  return packet.span.withUnsafeBufferPointer { Array($0) }
}

/// The octets that `encode` appends to an empty packet with room for `capacity` octets. Nil if `encode` returns false and has
/// appended nothing. If `encode` returns false but has appended octets, these are returned, so that a test that expects nil fails.
package func encoded(capacity: Int = 1472, _ encode: (inout RigidArray<UInt8>) -> Bool) -> [UInt8]? {
  var isEncoded = false
  let result = octets(capacity: capacity) { isEncoded = encode(&$0) }
  return isEncoded || !result.isEmpty ? result : nil
}
