public import PeerProtocol
public import RTPMIDI

/// The reply of a ``Receiver`` to a request for the clock. The thread that has received the request sends it at once.
public enum ClockReply: Sendable, BitwiseCopyable {
  /// The reply to a probe of a Tutti peer, or the acknowledgement of its reply.
  case probe(ClockProbe)
  /// CK1.
  case clockPacket(ClockPacket)

  /// Whether the received packet was itself the reply to a probe of the local peer. The control thread waits for such replies.
  ///
  /// Real-time: safe.
  public var acknowledgesReply: Bool {
    @_noLocks @_noAllocation get {
      guard case .probe(let probe) = self, case .acknowledgement = probe.kind else { return false }
      return true
    }
  }
}
