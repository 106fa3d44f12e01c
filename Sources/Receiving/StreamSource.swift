public import RTPMIDI

/// The source of the packets of one session: the SSRC and the address that identify the packets, and the local SSRC for
/// replies.
///
/// The SSRC alone is not sufficient. If the receiver did not compare the address, a peer whose address has changed would
/// still get replies, and would not notice that its session does not work any more.
public struct StreamSource: Sendable, BitwiseCopyable {
  /// The SSRC of the remote peer.
  public let ssrc: UInt32
  /// The address of the remote data port.
  public let address: SocketAddress
  /// The SSRC of the local peer in this session.
  public let localSSRC: UInt32

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(ssrc: UInt32, address: SocketAddress, localSSRC: UInt32) {
    (self.ssrc, self.address, self.localSSRC) = (ssrc, address, localSSRC)
  }
}
