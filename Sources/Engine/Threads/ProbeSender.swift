import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Transports

/// Sends clock probes. The network thread uses one sender for replies, and the control thread uses another one for requests.
/// Requests and replies use the same code between the clock reading and the system call. Its duration is therefore equal in both
/// directions and cancels out in the estimated offset.
///
/// The control thread sends requests itself. If a real-time thread sent them, each request would cost two more context switches (thousands
/// per second with many followers) and would compete with ticks. The disadvantage: on a busy machine, the scheduler may preempt the control
/// thread in the few microseconds between the clock reading and the system call. Such a probe looks like one with a long network delay, and
/// the estimator gives it a low weight, like any delayed probe.
struct ProbeSender: ~Copyable {
  private let socket: UDPSocket
  private var packet = RigidArray<UInt8>(capacity: ClockProbe.length + DatagramSealer.length)

  init(socket: UDPSocket) { self.socket = socket }

  /// Sends `probe` from the local address `local` and returns the transmit time stamp of the probe. Returns nil if the kernel did not
  /// accept the packet.
  ///
  /// - Parameter sealer: appends the tag after the time stamp; nil without a passkey.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func send(
    _ probe: ClockProbe, to address: SocketAddress, from local: SocketAddress?, sealedBy sealer: inout DatagramSealer?
  ) -> Instant? {
    packet.removeAll()
    guard case .some = sealer else {
      guard probe.append(to: &packet) else { return nil }
      return socket.send(packet, stampedAt: ClockProbe.transmitOffset, to: address, from: local)
    }
    // The tag covers the time stamp, so it is computed after the clock reading. The computation takes equally long in both directions.
    var stamped = probe
    stamped.transmit = MonotonicClock.now
    guard stamped.append(to: &packet) else { return nil }
    sealer?.seal(&packet, port: .data, at: stamped.transmit)
    return socket.send(packet, to: address, from: local) ? stamped.transmit : nil
  }
}
