public import RTPMIDI

/// A command to the ``Receiver``, which is the only reader of every RTP stream.
public enum ReceivingCommand: Sendable, BitwiseCopyable {
  /// Receives the stream of a new session. `slot` is below the capacity of the receiver and not in use. `source` identifies the
  /// packets of the stream.
  case open(slot: Int, SessionID, StreamSource)
  /// Ends the reception of a session.
  case close(slot: Int, SessionID)
  /// From now on, the replies to clock probes contain this rate limit: ``PeerProtocol/ClockProbe/rateLimit``.
  case limitProbes(UInt16)
}
