import MusicalTime
import Receiving

/// An event that the network thread reports to the control thread: something received at the UDP ports, or an action of the local
/// player.
enum NetworkEvent: Sendable, BitwiseCopyable {
  /// The next datagram of ``NetworkRings/datagrams``: a control packet, which begins with FF FF, or any datagram at the control port.
  case datagram
  /// A packet of an RTP stream, or a part of the packet.
  case reception(Reception)
  /// The local player has begun a note with the velocity `force`.
  case action(at: Instant, force: UInt8)
}
