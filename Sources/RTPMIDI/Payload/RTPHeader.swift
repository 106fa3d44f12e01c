import BasicContainers
import MusicalTime

/// The header of an RTP packet (RFC 3550 section 5.1; RFC 6295 section 2.1), twelve octets:
///
///     V=2 P X CC | M PT=97 | sequence 16 | time stamp 32, of 100 us | source 32
///
/// Sent with P, CC and M all 0: two systems ignore the commands of a packet with M set. Received with any of them.
///
/// The time stamp says when the commands *count*. When the packet *left* stands in a header extension (RFC 3550, section
/// 5.3.1) of twelve octets, which only Tutti peers get; others are skipped:
///
///     54 55 | length 2, 16 bits | nanoseconds of the sender's clock, 64 bits, signed
public struct RTPHeader: Hashable, Sendable, BitwiseCopyable {
  /// Counts the stream's packets, from a random start, and wraps.
  public var sequence: UInt16
  /// When the packet's commands count, in units of 100 us of the sender's clock, its low 32 bits: wraps in five days.
  public var timestamp: UInt32
  /// The sender's synchronization source identifier.
  public var ssrc: UInt32
  /// When the packet left, by its sender's clock; nil when it does not say.
  public var instant: Instant?

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(sequence: UInt16, timestamp: UInt32, ssrc: UInt32, instant: Instant? = nil) {
    (self.sequence, self.timestamp, self.ssrc, self.instant) = (sequence, timestamp, ssrc, instant)
  }

  /// Octets of the header as sent, without an extension.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 12 } }

  /// Octets of the extension that bears ``instant``.
  ///
  /// Real-time: safe.
  public static var extensionLength: Int { @_noLocks @_noAllocation get { 12 } }

  /// Where ``instant`` stands in a packet that bears it as sent: its sender reads the clock last, and writes it there.
  ///
  /// Real-time: safe.
  public static var instantOffset: Int { @_noLocks @_noAllocation get { length + 4 } }

  /// The time stamp of `instant`: its count of whole 100 us, low 32 bits. Never 0, which one receiver takes for the
  /// start of a session; 1 stands in for it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func timestamp(of instant: Instant) -> UInt32 {
    let stamp = UInt32(truncatingIfNeeded: instant.hundredMicroseconds)
    return stamp == 0 ? 1 : stamp
  }

  /// Appends the header; the caller has checked that there is room for ``length`` octets, and for ``extensionLength``
  /// more when it says when the packet left.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) {
    if case .some = instant { packet.append(0x90) } else { packet.append(0x80) }
    packet.append(97)
    packet.append(bigEndian: sequence)
    packet.append(bigEndian: timestamp)
    packet.append(bigEndian: ssrc)
    guard let instant else { return }
    packet.append(bigEndian: Self.profile)
    packet.append(bigEndian: UInt16(2))
    packet.append(bigEndian: UInt64(bitPattern: instant.nanoseconds))
  }

  /// What the extension is known by: "TU".
  private static var profile: UInt16 { @_noLocks @_noAllocation get { 0x5455 } }

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
    var instant: Instant?
    if flags & 0x10 != 0 {
      guard packet.count >= start + 4 else { throw .truncated }
      let words = Int(packet.uint16(at: start + 2))
      if packet.uint16(at: start) == profile, words == 2, packet.count >= start + extensionLength {
        instant = Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: start + 4)))
      }
      start += 4 + 4 * words
    }
    var end = packet.count
    if flags & 0x20 != 0 {
      // The last octet counts the padding, itself included.
      let padding = Int(packet[end - 1])
      guard padding > 0 else { throw .notRTPMIDI }
      end -= padding
    }
    guard start <= end else { throw .truncated }
    let header = RTPHeader(
      sequence: packet.uint16(at: 2), timestamp: packet.uint32(at: 4), ssrc: packet.uint32(at: 8), instant: instant)
    return (header, Extent(start: start, end: end))
  }
}
