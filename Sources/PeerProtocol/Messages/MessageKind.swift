/// The kind of a System Exclusive message between Tutti peers.
///
/// The message consists of the octet 7D (non-commercial use, MIDI 1.0), the octet 54 ('T'), the version (``ClockProbe/version``), the kind, and
/// octets that are encoded in data bytes of seven bits (``SevenBit``). <doc:WireFormat> describes the octets. A later release of
/// the protocol that does not change the meaning of messages for old receivers keeps the version: it adds a kind, or fields at the end
/// of a message. Receivers ignore unknown kinds and octets after the last field that they know.
///
/// Real-time: not safe.
public enum MessageKind: UInt8 {
  /// ``TimelineMessage``.
  case timelineMessage = 1
  /// ``Presence``.
  case presence = 2
  /// ``Offer``.
  case offer = 3
  /// ``UsedIdentity``.
  case usedIdentity = 4
  /// ``DocumentRequest``.
  case documentRequest = 5
  /// ``DocumentPart``.
  case documentPart = 6
  // Kind 7 is reserved.
  /// ``PhraseMessage``.
  case phrase = 8
  /// ``PlayerEnergies``.
  case playerEnergies = 9
  /// ``Introduction``.
  case introduction = 10
  /// ``RelayRequest``.
  case relayRequest = 11
  /// ``RelayedPresence``.
  case relayedPresence = 12
  /// ``RelayedTimeline``.
  case relayedTimeline = 13

  /// The octets before the encoded octets.
  private var prefix: [UInt8] { [0x7D, 0x54, ClockProbe.version, rawValue] }

  /// Returns whether a System Exclusive message is one of a Tutti peer, of any version and kind.
  public static func isOurs(_ bytes: [UInt8]) -> Bool { bytes.count >= 2 && bytes[0] == 0x7D && bytes[1] == 0x54 }

  /// The kind of a System Exclusive message of a Tutti peer; nil if its version or its kind is not known.
  init?(of bytes: [UInt8]) {
    guard bytes.count >= 4, bytes[2] == ClockProbe.version else { return nil }
    self.init(rawValue: bytes[3])
  }

  /// Returns the data octets of a System Exclusive message of this kind that contains the octets of `writer`, without
  /// F0 and F7.
  func wrap(_ writer: OctetWriter) -> [UInt8] {
    var bytes = prefix
    SevenBit.encode(writer.octets, to: &bytes)
    return bytes
  }

  /// Returns a reader of the octets that the System Exclusive message `bytes` contains; nil if the message has another kind, or fewer
  /// than `length` octets.
  func unwrap(_ bytes: [UInt8], atLeast length: Int) -> OctetReader? { unwrap(bytes, lengths: length...Int.max) }

  /// Returns a reader of the octets that the System Exclusive message `bytes` contains; nil if the message has another kind, or if
  /// the number of octets is not in `lengths`.
  func unwrap(_ bytes: [UInt8], lengths: ClosedRange<Int>) -> OctetReader? {
    guard Self.isOurs(bytes), bytes.count >= 4, bytes[2] == ClockProbe.version, bytes[3] == rawValue,
      let octets = SevenBit.decode(bytes[4...]), lengths.contains(octets.count)
    else { return nil }
    return OctetReader(octets)
  }
}
