import Ensemble
import MusicalTime
import RTPMIDI

/// The sending half of one session, as a virtual clock thread holds it: in the engine `Stream` and its `PacketSender`.
final class VirtualStream {
  let session: SessionID
  let address: SocketAddress
  var sender: PacketSender
  /// Whether its receiver hears the rhythm.
  var takesClock: Bool
  var isRecognised = false
  var isStamped = false
  /// The run whose Start or Continue it has had, 0 for none.
  var run: UInt32 = 0
  /// The tick it gets next in that run.
  var next = Tick(0)
  /// When a guard packet is due if nothing else is sent before.
  var guardDue = Instant.distantFuture
  /// Guard packets since the last packet with a command.
  var guards = 0

  init(session: SessionID, address: SocketAddress, ssrc: UInt32, sequence: UInt16, takesClock: Bool) {
    (self.session, self.address, self.takesClock) = (session, address, takesClock)
    sender = PacketSender(ssrc: ssrc, sequence: sequence)
  }
}
