import BasicContainers
import MIDI
import MusicalTime

/// The sending half of one RTP stream: it numbers the packets. One thread owns it.
///
/// Each call makes one packet of one command. A packet with two would save octets and lose ticks: a receiver in the
/// field swallows what follows an F8.
public struct PacketSender: Hashable, Sendable, BitwiseCopyable {
  public let ssrc: UInt32
  /// The sequence number of the next packet.
  public private(set) var sequence: UInt16

  /// A stream that begins with packet `sequence`, which should be random (RFC 3550 section 5.1).
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, sequence: UInt16) { (self.ssrc, self.sequence) = (ssrc, sequence) }

  /// Appends to `packet` one that says: `message` counts at `instant` of this peer's clock.
  ///
  /// - Returns: false, with nothing appended and no number used, when there is no room; ``longestMessagePacket`` octets are
  ///   enough.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encode(
    _ message: Message, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    guard packet.freeCapacity >= Self.longestMessagePacket else { return false }
    RTPHeader(sequence: sequence, timestamp: RTPHeader.timestamp(of: instant), ssrc: ssrc).append(to: &packet)
    guard var section = CommandSectionEncoder(in: &packet), section.append(message, to: &packet) else { return false }
    section.finish(in: &packet)
    sequence &+= 1
    return true
  }

  /// Appends to `packet` one that holds as much of a System Exclusive as fits. Begin with `sent` 0; while the result is
  /// less than `data.count`, go on from it with the next packet.
  ///
  /// - Parameters:
  ///   - data: all data octets, without F0 and F7, each below 128.
  ///   - sent: how many of them earlier packets hold.
  /// - Returns: how many are sent now. Nil, with nothing appended and no number used, when there is no room, when an octet
  ///   is 128 or more, or when nothing is left to send.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encode(
    systemExclusive data: borrowing RigidArray<UInt8>, from sent: Int = 0, at instant: Instant,
    into packet: inout RigidArray<UInt8>
  ) -> Int? {
    let start = packet.count
    guard packet.freeCapacity > RTPHeader.length else { return nil }
    RTPHeader(sequence: sequence, timestamp: RTPHeader.timestamp(of: instant), ssrc: ssrc).append(to: &packet)
    if var section = CommandSectionEncoder(in: &packet),
      let count = section.append(systemExclusive: data, from: sent, to: &packet)
    {
      section.finish(in: &packet)
      sequence &+= 1
      return count
    }
    packet.removeLast(packet.count - start)
    return nil
  }

  /// Octets of the longest packet of one message: header, section header, three octets of command.
  ///
  /// Real-time: safe.
  public static var longestMessagePacket: Int { @_noLocks @_noAllocation get { RTPHeader.length + 1 + 3 } }
}
