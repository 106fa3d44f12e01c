import BasicContainers
import MIDI
import RTPMIDI

/// What `encode` appends to an empty packet of at most `capacity` octets.
func octets(
  capacity: Int = PacketSender.longestMessagePacket, _ encode: (inout RigidArray<UInt8>) -> Void
) -> [UInt8] {
  var packet = RigidArray<UInt8>(capacity: capacity)
  encode(&packet)
  return (0..<packet.count).map { packet[$0] }
}

/// A System Exclusive's data octets as a sender takes them.
func rigid(_ data: [UInt7]) -> RigidArray<UInt8> {
  var octets = RigidArray<UInt8>(capacity: data.count)
  for octet in data { octets.append(octet.value) }
  return octets
}
