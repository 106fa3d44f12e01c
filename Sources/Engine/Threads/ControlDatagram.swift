import MusicalTime
import RTPMIDI
import Transports

/// A datagram for the control thread. Only the first octets are kept: no control packet of RTP-MIDI or of Tutti is longer, and RTP
/// packets are decoded by the network thread. A trivial value that fits into a ring.
struct ControlDatagram: Sendable, BitwiseCopyable {
  /// The octets. Only the first ``count`` are valid.
  private(set) var octets = InlineArray<128, UInt8>(repeating: 0)
  let count: Int
  let from: SocketAddress
  let to: SocketAddress
  let at: Instant
  let port: Datagram.Port
  let answeredAt: Instant?
  let isAuthentic: Bool

  @_noLocks @_noAllocation
  init(_ datagram: borrowing Datagram) {
    count = min(datagram.count, octets.count)
    (from, to, at, port) = (datagram.from, datagram.to, datagram.at, datagram.port)
    (answeredAt, isAuthentic) = (datagram.answeredAt, datagram.isAuthentic)
    var index = 0
    while index < count {
      octets[index] = datagram.octets[index]
      index += 1
    }
  }
}
