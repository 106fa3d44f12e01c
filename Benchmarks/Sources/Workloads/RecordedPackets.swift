import MusicalTime
import RTPMIDI

/// The encoded packets of a workload. There are 65 536 packets, as many as sequence numbers. When the recording is repeated, the
/// sequence numbers therefore continue without a gap.
public struct RecordedPackets: Sendable {
  /// The number of packets.
  public static let count = 65536
  /// The SSRC of all packets: "Tutt" in ASCII.
  static let ssrc: UInt32 = 0x5475_7474

  /// The octets of all packets, one after another.
  private var octets: [UInt8] = []
  /// Packet n begins at the octet `ends[n]` and ends before the octet `ends[n + 1]`.
  private var ends: [Int] = [0]
  /// The instant of each packet.
  private let instants: [Instant]

  /// Encodes ``count`` packets.
  public init(_ workload: Workload, withJournal: Bool) {
    precondition(workload.messages.count == Self.count, "the workload has not \(Self.count) messages")
    instants = workload.messages.map(\.at)
    let encoding = EncodingLoop(workload, withJournal: withJournal)
    for _ in 0..<Self.count {
      encoding.encodeOne()
      for index in 0..<encoding.packetCount { octets.append(encoding.octet(at: index)) }
      ends.append(octets.count)
    }
  }

  /// The size of packet `index` in octets.
  public func packetCount(at index: Int) -> Int { ends[index + 1] - ends[index] }

  /// The size of the recovery journal of packet `index` in octets.
  ///
  /// - Throws: `PacketError`.
  public func journalCount(at index: Int) throws -> Int {
    let packet = octets.span.extracting(ends[index]..<ends[index + 1])
    let (_, payload) = try RTPHeader.decode(packet)
    return try CommandCursor(packet, payload: payload).journal?.count ?? 0
  }

  /// Decodes packet `index` with `receiver`.
  ///
  /// - Returns: the number of messages in the command section, without messages that were recovered from the journal. 0 if the packet
  ///   was rejected.
  func decode(_ index: Int, with receiver: inout PacketReceiver) -> Int {
    let packet = octets.span.extracting(ends[index]..<ends[index + 1])
    var messages = 0
    do throws(PacketError) {
      try receiver.open(packet, near: instants[index])
    } catch {
      return 0
    }
    while let event = receiver.next(in: packet) { if case .message = event { messages += 1 } }
    return messages
  }
}
