import MusicalTime
import Receiving

/// An event that the network thread reports to the control thread: something that was received at the UDP ports or played by the local
/// player.
enum NetworkEvent: Sendable, BitwiseCopyable {
  /// The next datagram of ``NetworkRings/datagrams``: a control packet, which begins with FF FF, or any datagram at the control port.
  case datagram
  /// A packet of an RTP stream, a part of the packet, or a message that the local player has played.
  case reception(Reception)
  /// The local player has begun a note with the velocity `force`.
  case action(at: Instant, force: UInt8)
}
