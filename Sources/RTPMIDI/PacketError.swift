/// The reason why a datagram, or the rest of it, was dropped or ignored.
public enum PacketError: Error, Hashable, Sendable, BitwiseCopyable {
  /// The datagram is shorter than its fields require.
  case truncated
  /// Neither an RTP packet of version 2 with payload type 97 and valid padding, nor an AppleMIDI packet.
  case notRTPMIDI
  /// The SSRC of the packet is not that of the receiver's stream.
  case otherSource
  /// The sequence number was received before.
  case duplicate
  /// The sequence number is so far behind the stream that the receiver cannot determine whether it was received before,
  /// or it is implausibly far ahead.
  case outOfWindow
  /// The command list is malformed: a command lacks its status octet, a status octet is undefined or stands where another
  /// octet is required, or a delta time is longer than four octets.
  case malformedCommands
  /// The lengths in the recovery journal are inconsistent, or the journal does not end where the payload ends.
  case malformedJournal
  /// An IN, OK, NO or BY packet has a version other than 2, or a CK packet has a count other than 0, 1 or 2.
  case malformedControl
  /// A control packet has an unknown command.
  case unknownCommand
}
