import BasicContainers

/// The four packets that begin and end a session. All have one layout:
///
///     FF FF | command, two letters | version 2, 32 bits | token 32 | ssrc 32 | name, NUL
///
/// The token is the initiator's, and ties the answers and the invitation on the second port to the first. The name is
/// optional; what follows its NUL is ignored. A BY may lack the token: then the ssrc stands in its place.
public struct SessionCommand: Hashable, Sendable {
  public enum Kind: UInt16, Hashable, Sendable {
    case invitation = 0x494E  // IN
    case accepted = 0x4F4B  // OK
    case rejected = 0x4E4F  // NO
    case bye = 0x4259  // BY
  }

  public var kind: Kind
  /// 0 in a BY without one.
  public var token: UInt32
  /// The sender's.
  public var ssrc: UInt32
  /// The sender's, for people; nil when left out. At most 63 octets of UTF-8 are read and sent; a wrong octet and a
  /// control character are read as U+FFFD.
  public var name: String?

  public init(_ kind: Kind, token: UInt32, ssrc: UInt32, name: String? = nil) {
    (self.kind, self.token, self.ssrc, self.name) = (kind, token, ssrc, name)
  }

  /// Octets of the longest one sent: four fields of 32 bits, a name of 63 octets and its NUL.
  static let longest = 16 + 64

  /// Appends the packet. Returns false, with nothing appended, when there are fewer than 80 octets of room.
  ///
  /// Real-time: not safe.
  public func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.longest else { return false }
    packet.append(bigEndian: UInt16(0xFFFF))
    packet.append(bigEndian: kind.rawValue)
    packet.append(bigEndian: UInt32(2))
    packet.append(bigEndian: token)
    packet.append(bigEndian: ssrc)
    guard let name else { return true }
    var room = 63
    for character in name.unicodeScalars where character.value != 0 {
      let octets = UTF8.encode(character)!
      guard octets.count <= room else { break }
      for octet in octets { packet.append(octet) }
      room -= octets.count
    }
    packet.append(0)
    return true
  }

  /// Reads a packet whose command is `kind`.
  init(_ packet: borrowing Span<UInt8>, kind: Kind) throws(PacketError) {
    guard packet.count >= 12 else { throw .truncated }
    guard packet.uint32(at: 4) == 2 else { throw .malformedControl }
    self.kind = kind
    guard packet.count >= 16 else {
      guard kind == .bye else { throw .truncated }
      (token, ssrc) = (0, packet.uint32(at: 8))
      return
    }
    (token, ssrc) = (packet.uint32(at: 8), packet.uint32(at: 12))
    guard packet.count > 16 else { return }
    var octets: [UInt8] = []
    for index in 16..<packet.count {
      let octet = packet[index]
      if octet == 0 || octets.count == 63 { break }
      octets.append(octet)
    }
    var repaired = ""
    for character in String(decoding: octets, as: UTF8.self).unicodeScalars {
      let isControl = character.value < 0x20 || (0x7F...0x9F).contains(character.value)
      repaired.unicodeScalars.append(isControl ? "\u{FFFD}" : character)
    }
    name = repaired
  }
}
