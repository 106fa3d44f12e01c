import BasicContainers
import MIDI
import RTPMIDI

/// The octets that `encode` appends to an empty packet with room for `capacity` octets.
func octets(
  capacity: Int = PacketSender.longestMessagePacket, _ encode: (inout RigidArray<UInt8>) -> Void
) -> [UInt8] {
  var packet = RigidArray<UInt8>(capacity: capacity)
  encode(&packet)
  return (0..<packet.count).map { packet[$0] }
}

/// The data octets of a System Exclusive message in the form that ``PacketSender`` encodes.
func rigid(_ data: [UInt7]) -> RigidArray<UInt8> {
  var octets = RigidArray<UInt8>(capacity: data.count)
  for octet in data { octets.append(octet.value) }
  return octets
}
