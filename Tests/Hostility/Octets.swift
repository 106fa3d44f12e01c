import BasicContainers

/// What `encode` appends to an empty packet.
func octets(_ encode: (inout RigidArray<UInt8>) -> Void) -> [UInt8] {
  var packet = RigidArray<UInt8>(capacity: 128)
  encode(&packet)
  return (0..<packet.count).map { packet[$0] }
}
