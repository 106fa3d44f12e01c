import BasicContainers
import MusicalTime
import RTPMIDI

/// Encodes the messages of a workload one after another. After the last message, the loop continues with the first. Once per second
/// (of the instants in the workload), a simulated receiver acknowledges all packets.
public final class EncodingLoop {
  private let workload: Workload
  private var sender: PacketSender
  private var packet = RigidArray<UInt8>(capacity: 1400)
  /// The index of the next message.
  private var next = 0
  /// The second in which the receiver last acknowledged all packets.
  private var acknowledgedSecond: Int64 = 0

  public init(_ workload: Workload, withJournal: Bool) {
    self.workload = workload
    sender = PacketSender(ssrc: RecordedPackets.ssrc, sequence: 0)
    sender.sendsJournal = withJournal
  }

  /// Encodes the next `count` packets.
  public func encode(_ count: Int) { for _ in 0..<count { encodeOne() } }

  /// Encodes the next message as a packet.
  func encodeOne() {
    let (message, instant) = workload.messages[next]
    next += 1
    if next == workload.messages.count { next = 0 }
    let second = instant.nanoseconds / 1_000_000_000
    if second != acknowledgedSecond {
      acknowledgedSecond = second
      sender.acknowledge(sender.sequence &- 1)
    }
    packet.removeAll()
    precondition(sender.encode(message, at: instant, into: &packet), "no room for \(message)")
  }

  /// The size of the last packet in octets.
  var packetCount: Int { packet.count }

  /// The octet at `index` of the last packet.
  func octet(at index: Int) -> UInt8 { packet[index] }
}
