import MusicalTime
import RTPMIDI
import Transports

/// A datagram that the network thread passes to the control thread: a ``Datagram`` without heap memory, so that it can be an element of a
/// ring. Only the first 128 octets are kept. No control packet of RTP-MIDI or of Tutti is longer, and the network thread decodes RTP
/// packets itself.
struct ControlDatagram: Sendable, BitwiseCopyable {
  /// The octets. Only the first ``count`` are valid.
  private(set) var octets = InlineArray<128, UInt8>(repeating: 0)
  let count: Int
  let from: SocketAddress
  let to: SocketAddress
  /// The instant of arrival.
  let at: Instant
  /// The port that received the datagram.
  let port: Datagram.Port
  /// When the network thread sent a reply to this datagram; nil if it sent none.
  let answeredAt: Instant?
  /// Whether the datagram had a valid tag.
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
