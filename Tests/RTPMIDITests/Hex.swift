import BasicContainers

/// The octets of a hex dump. What follows a ";" in a line is a remark.
func hex(_ dump: String) -> [UInt8] {
  dump.split(separator: "\n").flatMap { line in
    line.prefix { $0 != ";" }.split(separator: " ").map { UInt8($0, radix: 16)! }
  }
}

/// The same octets in the kind of array that real-time code may borrow.
func rigid(_ octets: [UInt8]) -> RigidArray<UInt8> {
  var array = RigidArray<UInt8>(capacity: octets.count)
  for octet in octets { array.append(octet) }
  return array
}

/// What `encode` appends to an empty packet with room for `capacity` octets.
func octets(capacity: Int = 1472, _ encode: (inout RigidArray<UInt8>) -> Void) -> [UInt8] {
  var packet = RigidArray<UInt8>(capacity: capacity)
  encode(&packet)
  return (0..<packet.count).map { packet[$0] }
}

/// What `encode` appends to an empty packet with room for `capacity` octets; nil when it says that there is no room and
/// has appended nothing.
func encoded(capacity: Int = 1472, _ encode: (inout RigidArray<UInt8>) -> Bool) -> [UInt8]? {
  var isEncoded = false
  let result = octets(capacity: capacity) { isEncoded = encode(&$0) }
  return isEncoded || !result.isEmpty ? result : nil
}
