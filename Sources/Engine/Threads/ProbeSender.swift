import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Transports

/// Sends clock probes. The network thread replies by one and the control thread asks by another: what lies between the
/// look at the clock and the kernel is the same code in both directions.
///
/// Requests leave on the control thread, where they fall due, and not on one of the real-time threads: that would cost two
/// more switches between threads for each, thousands a second with many followers, and put work before ticks. The price is
/// that a busy machine may take the processor away within the few microseconds between clock and kernel. Then the
/// packet seems to have been long on its way, as many are, and does not count for more than these.
struct ProbeSender: ~Copyable {
  private let socket: UDPSocket
  private var packet = RigidArray<UInt8>(capacity: ClockProbe.length)

  init(socket: UDPSocket) { self.socket = socket }

  /// Sends `probe`; gives the instant it bears as transmit stamp, nil when the kernel would not take it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func send(_ probe: ClockProbe, to address: SocketAddress) -> Instant? {
    packet.removeAll()
    guard probe.append(to: &packet) else { return nil }
    return socket.send(packet, stampedAt: ClockProbe.transmitOffset, to: address)
  }
}
