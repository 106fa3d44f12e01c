/// Why a datagram, or the rest of it, was dropped.
public enum PacketError: Error, Hashable, Sendable, BitwiseCopyable {
  /// It ends before what its own fields announce.
  case truncated
  /// Not RTP version 2 with payload type 97, and not an AppleMIDI packet either.
  case notRTPMIDI
  /// Of another stream than the one it was given to.
  case otherSource
  /// Its sequence number has been received before.
  case duplicate
  /// Its sequence number is too far behind the stream to tell whether it has been received before, or so far ahead that
  /// the packet after it must confirm it.
  case outOfWindow
  /// A command list in which a command lacks its status octet, a delta time is longer than four octets, or a status
  /// octet stands where a data octet should.
  case malformedCommands
  /// A recovery journal whose lengths do not fit, or that does not end with the packet.
  case malformedJournal
  /// A session packet of a version other than 2, a probe other than version 1, or a count other than 0, 1 or 2.
  case malformedControl
  /// A session packet with a command that is not known here.
  case unknownCommand
}
