import MusicalTime
import RTPMIDI

/// The packets of a performance, as sent. 65 536 of them: then the sequence numbers go on when the tape begins anew.
public struct Tape: Sendable {
  public static let count = 65536
  static let ssrc: UInt32 = 0x5475_7474

  private var octets: [UInt8] = []
  private var ends: [Int] = [0]
  private let instants: [Instant]

  /// Records ``count`` packets.
  public init(_ performance: Performance, withJournal: Bool) {
    precondition(performance.messages.count == Self.count, "a tape holds \(Self.count) packets")
    instants = performance.messages.map(\.at)
    let encoding = Encoding(performance, withJournal: withJournal)
    for _ in 0..<Self.count {
      encoding.encodeOne()
      for index in 0..<encoding.packetCount { octets.append(encoding.octet(at: index)) }
      ends.append(octets.count)
    }
  }

  /// Octets of packet `index`.
  public func packetCount(at index: Int) -> Int { ends[index + 1] - ends[index] }

  /// Octets of the recovery journal of packet `index`.
  ///
  /// - Throws: `PacketError`.
  public func journalCount(at index: Int) throws -> Int {
    let packet = octets.span.extracting(ends[index]..<ends[index + 1])
    let (_, payload) = try RTPHeader.decode(packet)
    return try CommandCursor(packet, payload: payload).journal?.count ?? 0
  }

  /// Gives packet `index` to `receiver`.
  ///
  /// - Returns: how many messages of its own came of it, those not counted that its journal gave back.
  func play(_ index: Int, to receiver: inout PacketReceiver) -> Int {
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
