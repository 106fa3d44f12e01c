import BasicContainers
import MusicalTime
import RTPMIDI

/// A performance being sent, packet after packet and over and over, to a receiver that acknowledges once a second what it
/// has.
public final class Encoding {
  private let performance: Performance
  private var sender: PacketSender
  private var packet = RigidArray<UInt8>(capacity: 1400)
  private var next = 0
  private var acknowledged: Int64 = 0

  public init(_ performance: Performance, withJournal: Bool) {
    self.performance = performance
    sender = PacketSender(ssrc: Tape.ssrc, sequence: 0)
    sender.sendsJournal = withJournal
  }

  /// Encodes the next `count` packets.
  public func encode(_ count: Int) { for _ in 0..<count { encodeOne() } }

  /// Encodes the next packet.
  func encodeOne() {
    let (message, instant) = performance.messages[next]
    next += 1
    if next == performance.messages.count { next = 0 }
    let second = instant.nanoseconds / 1_000_000_000
    if second != acknowledged {
      acknowledged = second
      sender.acknowledge(sender.sequence &- 1)
    }
    packet.removeAll()
    precondition(sender.encode(message, at: instant, into: &packet), "no room for \(message)")
  }

  /// Octets of the packet encoded last.
  var packetCount: Int { packet.count }

  /// The octet at `index` of the packet encoded last.
  func octet(at index: Int) -> UInt8 { packet[index] }
}
