/// The outcome of one received datagram, see ``DatagramCounters``.
public enum DatagramOutcome: Hashable, Sendable, BitwiseCopyable {
  case accepted, malformed, unknownCommand, unknownSource, replayed, rejectedExtensionPacket, unmatchedClock
  case implausibleClock, unexpectedAnswer, refusedInvitation, notAuthentic
}
