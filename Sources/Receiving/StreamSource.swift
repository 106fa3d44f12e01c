public import RTPMIDI

/// The fields by which a packet refers to the RTP stream of a session, and the SSRC of the answers.
///
/// The SSRC alone is not enough: a peer whose address has changed would still get answers, and would not notice that its session
/// no longer works.
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
