/// The kind of a System Exclusive message between Tutti peers. The message consists of 7D (non-commercial use, MIDI 1.0), 54
/// ('T'), the version, the kind, and octets in data bytes of seven bits (``SevenBit``), see <doc:WireFormat>. A later version
/// with the same meaning for old receivers keeps the version and adds a kind.
public enum MessageKind: UInt8 {
  case timelineMessage = 1
  case presence = 2
  case offer = 3

  private static var version: UInt8 { 1 }
  private var prefix: [UInt8] { [0x7D, 0x54, Self.version, rawValue] }

  /// Returns whether a System Exclusive message is one of a Tutti peer, of any version and kind.
  public static func isOurs(_ bytes: [UInt8]) -> Bool { bytes.count >= 2 && bytes[0] == 0x7D && bytes[1] == 0x54 }

  /// Returns the data octets of a System Exclusive message of this kind, without F0 and F7.
  func wrap(_ writer: OctetWriter) -> [UInt8] {
    var bytes = prefix
    SevenBit.encode(writer.octets, to: &bytes)
    return bytes
  }

  /// Returns the `length` octets in a System Exclusive message of this kind; nil for any other message.
  func unwrap(_ bytes: [UInt8], length: Int) -> OctetReader? {
    guard Self.isOurs(bytes), bytes.count >= 4, bytes[2] == Self.version, bytes[3] == rawValue,
      let octets = SevenBit.decode(bytes[4...]), octets.count == length
    else { return nil }
    return OctetReader(octets)
  }
}
