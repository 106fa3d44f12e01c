import BasicContainers
import Text

/// One of the four packets that begin and end a session. All have the same layout. [n] stands for n bits.
///
///     FF FF | command, two letters | version[32]=2 | token[32] | ssrc[32] | name, NUL | mark[32]
///
/// The initiator chooses the token. The token connects the answers and the second invitation to the first invitation.
/// The name and the mark are optional. The mark, or in its place the announcement, belongs to a ``ProtocolExtension``; other
/// implementations ignore octets after the NUL. Some BY packets have no token. The SSRC then directly follows the version.
public struct SessionCommand: Hashable, Sendable {
  /// The command. The raw value is its two letters.
  public enum Kind: UInt16, Hashable, Sendable {
    case invitation = 0x494E  // IN
    case accepted = 0x4F4B  // OK
    case rejected = 0x4E4F  // NO
    case bye = 0x4259  // BY
  }

  public var kind: Kind
  /// 0 in a BY without a token.
  public var token: UInt32
  /// The SSRC of the sender.
  public var ssrc: UInt32
  /// The name of the sender; nil if the packet has none, or none with a visible character. At most 48 octets of UTF-8 are
  /// sent. At most 63 are read, and the name is cut to 48, after a complete character. Characters that are not printable are omitted. An
  /// incomplete character at the end, which some devices send, is omitted too. Other invalid octets are read as U+FFFD.
  public var name: String?
  /// See ``ProtocolExtension/mark`` and ``ProtocolExtension/announcement``; nil if the packet has neither.
  public var mark: UInt32?

  public init(_ kind: Kind, token: UInt32, ssrc: UInt32, name: String? = nil, mark: UInt32? = nil) {
    (self.kind, self.token, self.ssrc, self.name, self.mark) = (kind, token, ssrc, name, mark)
  }

  /// The length of the longest packet in octets: four fields of 32 bits, a name of 48 octets, its NUL, and the mark.
  static let longest = 16 + 48 + 1 + 4
  /// The maximum length in octets of a name that is read, without NUL. Other implementations send longer names than this one.
  private static let longestName = 63

  /// Appends the packet. Returns false and appends nothing if there is room for fewer than 65 octets, or 69 with a
  /// mark.
  ///
  /// Real-time: not safe.
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= (mark == nil ? Self.longest - 4 : Self.longest) else { return false }
    packet.append(bigEndian: UInt16(0xFFFF))
    packet.append(bigEndian: kind.rawValue)
    packet.append(bigEndian: UInt32(2))
    packet.append(bigEndian: token)
    packet.append(bigEndian: ssrc)
    guard name != nil || mark != nil else { return true }
    for octet in (name?.cleanName() ?? "").utf8 { packet.append(octet) }
    packet.append(0)
    if let mark { packet.append(bigEndian: mark) }
    return true
  }

  /// Reads a packet with the command `kind`.
  init(_ packet: borrowing Span<UInt8>, kind: Kind) throws(PacketError) {
    guard packet.count >= 12 else { throw .truncated }
    guard packet.uint32(at: 4) == 2 else { throw .malformedControl }
    self.kind = kind
    guard packet.count >= 16 else {
      // Only a BY may lack the token.
      guard kind == .bye else { throw .truncated }
      (token, ssrc) = (0, packet.uint32(at: 8))
      return
    }
    (token, ssrc) = (packet.uint32(at: 8), packet.uint32(at: 12))
    guard packet.count > 16 else { return }
    var octets: [UInt8] = []
    for index in 16..<packet.count {
      let octet = packet[index]
      if octet == 0 || octets.count == Self.longestName { break }
      octets.append(octet)
    }
    let end = 16 + octets.count + 1
    if packet.count >= end + 4, packet[end - 1] == 0 { mark = packet.uint32(at: end) }
    name = String(name: octets).cleanName()
  }
}
