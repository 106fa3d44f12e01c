/// A control packet: a datagram that begins with FF FF and is therefore not RTP.
public enum ControlPacket: Hashable, Sendable {
  /// IN (invitation), OK (acceptance), NO (rejection) or BY (end of the session).
  case session(SessionCommand)
  /// CK: a clock comparison.
  case clock(ClockPacket)
  /// RS: receiver feedback.
  case feedback(ReceiverFeedback)

  /// Returns whether `packet` begins with FF FF. An RTP packet never does: its first two bits, the version, are 10.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func isControl(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 2 else { return false }
    return packet.uint16(at: 0) == 0xFFFF
  }

  /// Reads a datagram. Ignores octets after the last field.
  ///
  /// - Throws: ``PacketError``; ``PacketError/unknownCommand`` also for the packets of a ``ProtocolExtension``.
  ///
  /// Real-time: not safe, because the name is a string. A real-time thread reads a ``ClockPacket`` directly.
  public init(_ packet: Span<UInt8>) throws(PacketError) {
    guard packet.count >= 4 else { throw .truncated }
    guard packet.uint16(at: 0) == 0xFFFF else { throw .notRTPMIDI }
    let command = packet.uint16(at: 2)
    if let kind = SessionCommand.Kind(rawValue: command) {
      self = .session(try SessionCommand(packet, kind: kind))
      return
    }
    switch command {
    case 0x434B:  // CK
      guard packet.count >= ClockPacket.length else { throw .truncated }
      guard let clock = ClockPacket(packet) else { throw .malformedControl }
      self = .clock(clock)
    case 0x5253:  // RS
      guard let feedback = ReceiverFeedback(packet) else { throw .truncated }
      self = .feedback(feedback)
    default: throw .unknownCommand
    }
  }
}
