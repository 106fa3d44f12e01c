public import RTPMIDI

/// The destination of the packet in ``StreamSender/packet``.
public struct Transmission: Sendable, BitwiseCopyable {
  /// The data port of the receiver.
  public let address: SocketAddress
  /// Whether the packet has room for the send instant, which ``StreamSender/seal(_:sentAt:)`` writes.
  let carriesSendInstant: Bool

  @_noLocks @_noAllocation
  init(address: SocketAddress, carriesSendInstant: Bool) {
    (self.address, self.carriesSendInstant) = (address, carriesSendInstant)
  }
}
