public import PeerProtocol
public import RTPMIDI

/// The reply of a ``Receiver`` to a clock request. The request is a clock probe or an AppleMIDI clock packet. The thread
/// that has received the request sends the reply at once.
public enum ClockReply: Sendable, BitwiseCopyable {
  /// The reply to the clock probe of a Tutti peer, or the acknowledgement of such a peer's reply.
  case probe(ClockProbe)
  /// CK1, the reply to an AppleMIDI CK0.
  case clockPacket(ClockPacket)

  /// Whether this is the acknowledgement of a reply to a probe of the local peer. The driver then wakes
  /// the control thread at once, because this thread estimates the clock of the peer from the reply.
  ///
  /// Real-time: safe.
  public var acknowledgesReply: Bool {
    @_noLocks @_noAllocation get {
      guard case .probe(let probe) = self, case .acknowledgement = probe.kind else { return false }
      return true
    }
  }
}
