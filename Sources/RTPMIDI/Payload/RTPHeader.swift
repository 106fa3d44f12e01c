import BasicContainers
import MusicalTime

/// The header of an RTP packet (RFC 3550 section 5.1; RFC 6295 section 2.1), twelve octets. [n] stands for n bits.
///
///     V[2]=2 P X CC[4] | M PT[7]=97 | sequence[16] | time stamp[32], in units of 100 us | source[32]
///
/// V is the version, P announces padding, X announces a ``HeaderExtension``, CC is the number of contributing sources,
/// M is the marker bit, and PT is the payload type. P, CC and M are sent as 0. (RFC 6295 sets M in packets with commands,
/// but two known systems ignore the commands of a packet with M set.) In received packets, P, CC and M may have any
/// values.
public struct RTPHeader: Hashable, Sendable, BitwiseCopyable {
  /// The sequence number of the packet. It starts at a random value and wraps.
  public var sequence: UInt16
  /// The instant at which the commands take effect, by the sender's clock, in units of 100 us. Only the lower 32 bits of this
  /// number are sent. They wrap after five days.
  public var timestamp: UInt32
  /// The sender's synchronization source identifier.
  public var ssrc: UInt32
  /// The header extension; nil if the packet has none.
  public var headerExtension: HeaderExtension?

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(sequence: UInt16, timestamp: UInt32, ssrc: UInt32, headerExtension: HeaderExtension? = nil) {
    (self.sequence, self.timestamp, self.ssrc) = (sequence, timestamp, ssrc)
    self.headerExtension = headerExtension
  }

  /// The payload type of all RTP packets in AppleMIDI sessions.
  private static var payloadType: UInt8 { @_noLocks @_noAllocation get { 97 } }

  /// The length of the header as sent, without an extension, in octets.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 12 } }

  /// Returns the time stamp of `instant`: the lower 32 bits of the number of whole 100 us. 0 is replaced by 1, because
  /// one known receiver interprets 0 as the start of a session.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func timestamp(of instant: Instant) -> UInt32 {
    let stamp = UInt32(truncatingIfNeeded: instant.hundredMicroseconds)
    return stamp == 0 ? 1 : stamp
  }

  /// Appends the header and its extension, if there is one. The data of the extension are zeros, which the sending thread
  /// overwrites later (``HeaderExtension/dataOffset``). The caller has checked that there is enough room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) {
    // Version 2, and X if there is an extension.
    if case .some = headerExtension { packet.append(0x90) } else { packet.append(0x80) }
    packet.append(Self.payloadType)
    packet.append(bigEndian: sequence)
    packet.append(bigEndian: timestamp)
    packet.append(bigEndian: ssrc)
    guard let headerExtension else { return }
    packet.append(bigEndian: headerExtension.profile)
    packet.append(bigEndian: headerExtension.words)
    var word: UInt16 = 0
    while word < headerExtension.words {
      packet.append(bigEndian: UInt32(0))
      word += 1
    }
  }

  /// Reads the header of `packet`.
  ///
  /// - Returns: the header, and the payload after contributing sources and extension, without padding.
  /// - Throws: ``PacketError/truncated`` or ``PacketError/notRTPMIDI``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func decode(_ packet: Span<UInt8>) throws(PacketError) -> (header: RTPHeader, payload: Extent) {
    guard packet.count >= length else { throw .truncated }
    let flags = packet[0]
    guard flags & 0xC0 == 0x80, packet[1] & 0x7F == payloadType else { throw .notRTPMIDI }
    var start = length + 4 * Int(flags & 0x0F)
    var headerExtension: HeaderExtension?
    if flags & 0x10 != 0 {
      guard packet.count >= start + 4 else { throw .truncated }
      let found = HeaderExtension(
        profile: packet.uint16(at: start), start: UInt16(truncatingIfNeeded: start + 4),
        words: packet.uint16(at: start + 2))
      headerExtension = found
      start = found.data.end
    }
    var end = packet.count
    if flags & 0x20 != 0 {
      // The last octet is the number of padding octets, including itself.
      let padding = Int(packet[end - 1])
      guard padding > 0 else { throw .notRTPMIDI }
      end -= padding
    }
    guard start <= end else { throw .truncated }
    let header = RTPHeader(
      sequence: packet.uint16(at: 2), timestamp: packet.uint32(at: 4), ssrc: packet.uint32(at: 8),
      headerExtension: headerExtension)
    return (header, Extent(start: start, end: end))
  }
}

/// The header extension of an RTP packet (RFC 3550, section 5.3.1). [n] stands for n bits.
///
///     profile[16] | length in words[16] | data, words of 32 bits
///
/// The profile identifies the format of the data. A receiver skips an extension that it does not know.
public struct HeaderExtension: Hashable, Sendable, BitwiseCopyable {
  /// The first 16 bits of the extension, "defined by profile".
  public let profile: UInt16
  /// The offset of the data in the packet. Sixteen bits keep ``RTPHeader`` so small that it is passed in registers.
  private let start: UInt16
  /// The length of the data in words of 32 bits.
  public let words: UInt16

  /// The place of the data in the packet. The number of octets is a multiple of four.
  ///
  /// Real-time: safe.
  public var data: Extent {
    @_noLocks @_noAllocation get { Extent(start: Int(start), end: Int(start) + 4 * Int(words)) }
  }

  /// Creates an extension as ``PacketSender`` sends it: `words` words of 32 bits of data, with the extension directly
  /// behind the fixed header.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(profile: UInt16, words: UInt16) {
    self.init(profile: profile, start: UInt16(truncatingIfNeeded: Self.dataOffset), words: words)
  }

  @_noLocks @_noAllocation
  fileprivate init(profile: UInt16, start: UInt16, words: UInt16) {
    (self.profile, self.start, self.words) = (profile, start, words)
  }

  /// The length of the extension in octets, including its own header of four octets.
  ///
  /// Real-time: safe.
  public var length: Int { @_noLocks @_noAllocation get { 4 + 4 * Int(words) } }

  /// The offset of the data in a packet of ``PacketSender``, 16 octets. The data are zeros at first. The thread that
  /// sends the packet overwrites them immediately before the packet leaves.
  ///
  /// Real-time: safe.
  public static var dataOffset: Int { @_noLocks @_noAllocation get { RTPHeader.length + 4 } }
}
