import BasicContainers
import MusicalTime

/// The fixed header of an RTP packet (RFC 3550 section 5.1; RFC 6295 section 2.1), twelve octets:
///
///     V=2 P X CC | M PT=97 | sequence 16 | time stamp 32, of 100 us | source 32
///
/// Sent with P, X, CC and M all 0: two systems ignore the commands of a packet with M set. Received with any of them.
public struct RTPHeader: Hashable, Sendable, BitwiseCopyable {
  /// Counts the stream's packets, from a random start, and wraps.
  public var sequence: UInt16
  /// When the packet's commands count, in units of 100 us of the sender's clock, its low 32 bits: wraps in five days.
  public var timestamp: UInt32
  /// The sender's synchronization source identifier.
  public var ssrc: UInt32

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(sequence: UInt16, timestamp: UInt32, ssrc: UInt32) {
    (self.sequence, self.timestamp, self.ssrc) = (sequence, timestamp, ssrc)
  }

  /// Octets of the header as sent.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 12 } }

  /// The time stamp of `instant`: its count of whole 100 us, low 32 bits. Never 0, which one receiver takes for the
  /// start of a session; 1 stands in for it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func timestamp(of instant: Instant) -> UInt32 {
    let stamp = UInt32(truncatingIfNeeded: instant.hundredMicroseconds)
    return stamp == 0 ? 1 : stamp
  }

  /// Appends the header; the caller has checked that there is room for ``length`` octets.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) {
    packet.append(0x80)
    packet.append(97)
    packet.append(bigEndian: sequence)
    packet.append(bigEndian: timestamp)
    packet.append(bigEndian: ssrc)
  }

  /// Reads the header of `packet`.
  ///
  /// - Returns: the header, and where the payload lies, contributing sources, extension and padding skipped.
  /// - Throws: ``PacketError/truncated`` or ``PacketError/notRTPMIDI``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func decode(_ packet: Span<UInt8>) throws(PacketError) -> (header: RTPHeader, payload: Extent) {
    guard packet.count >= length else { throw .truncated }
    let flags = packet[0]
    guard flags & 0xC0 == 0x80, packet[1] & 0x7F == 97 else { throw .notRTPMIDI }
    var start = length + 4 * Int(flags & 0x0F)
    if flags & 0x10 != 0 {
      guard packet.count >= start + 4 else { throw .truncated }
      start += 4 + 4 * Int(packet.uint16(at: start + 2))
    }
    var end = packet.count
    if flags & 0x20 != 0 {
      // The last octet counts the padding, itself included.
      let padding = Int(packet[end - 1])
      guard padding > 0 else { throw .notRTPMIDI }
      end -= padding
    }
    guard start <= end else { throw .truncated }
    let header = RTPHeader(sequence: packet.uint16(at: 2), timestamp: packet.uint32(at: 4), ssrc: packet.uint32(at: 8))
    return (header, Extent(start: start, end: end))
  }
}
