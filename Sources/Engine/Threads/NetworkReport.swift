import MIDI
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
  /// The adopted device with this index has begun a note, or has sent its energy (CC 11).
  case device(Int, Message, at: Instant)
}

/// The counters of the network thread since its start.
struct NetworkCounters: Sendable, BitwiseCopyable {
  /// The number of messages of remote peers and of the local player that were refused: ``Receiver/refused``.
  var refused: Int64 = 0
  /// Datagrams that were dropped because their session has a passkey and their tag is missing or not valid.
  var notAuthentic: Int64 = 0
  /// Datagrams of sources without a session that were dropped because there were too many (``StrangerFilter``).
  var limited: Int64 = 0
  /// Pauses because the thread had used its share of the processor (``ProcessorBudget``).
  var pauses: Int64 = 0
}
