/// A datagram that begins with FF FF: anything of a session that is not RTP.
public enum ControlPacket: Hashable, Sendable {
  case session(SessionCommand)
  case clock(ClockPacket)
  case feedback(ReceiverFeedback)
  case probe(ClockProbe)

  /// Whether `packet` begins with FF FF. RTP never does.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func isControl(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 2 else { return false }
    return packet.uint16(at: 0) == 0xFFFF
  }

  /// Reads a datagram. Octets behind the last field are ignored.
  ///
  /// - Throws: ``PacketError``.
  ///
  /// Real-time: not safe, for the name. A thread that may not allocate reads ``ClockPacket`` and ``ClockProbe``
  /// directly.
  public init(_ packet: Span<UInt8>) throws(PacketError) {
    guard packet.count >= 4 else { throw .truncated }
    guard packet.uint16(at: 0) == 0xFFFF else { throw .notRTPMIDI }
    let command = packet.uint16(at: 2)
    if let kind = SessionCommand.Kind(rawValue: command) {
      self = .session(try SessionCommand(packet, kind: kind))
      return
    }
    switch command {
    case 0x434B:
      guard packet.count >= ClockPacket.length else { throw .truncated }
      guard let clock = ClockPacket(packet) else { throw .malformedControl }
      self = .clock(clock)
    case 0x5253:
      guard let feedback = ReceiverFeedback(packet) else { throw .truncated }
      self = .feedback(feedback)
    case 0x5455:
      guard packet.count >= ClockProbe.length else { throw .truncated }
      guard let probe = ClockProbe(packet) else { throw .malformedControl }
      self = .probe(probe)
    default: throw .unknownCommand
    }
  }
}
