import MusicalTime
import Receiving

/// What the network thread has received at the UDP ports, and the actions of the local player.
enum NetworkEvent: Sendable, BitwiseCopyable {
  /// The next datagram of ``NetworkRings/datagrams``: a control packet, or a packet at the control port.
  case datagram
  /// A packet of an RTP stream, or a part of it.
  case reception(Reception)
  /// The local player has begun a note with this velocity.
  case action(at: Instant, force: UInt8)
}
