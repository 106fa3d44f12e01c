public import RTPMIDI

/// What the driver needs to send the packet in ``StreamSender/packet``: the destination, and whether to write the send
/// instant.
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
