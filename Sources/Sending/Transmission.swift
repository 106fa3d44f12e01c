public import RTPMIDI

/// What the driver needs to send the packet in ``StreamSender/packet``: the addresses, and whether to write the send
/// instant.
public struct Transmission: Sendable, BitwiseCopyable {
  /// The data port of the receiver.
  public let address: SocketAddress
  /// The local address from which the packet leaves; nil if the host chooses it.
  public let local: SocketAddress?
  /// Whether the packet has room for the send instant, which ``StreamSender/seal(_:sentAt:)`` writes.
  let carriesSendInstant: Bool

  @_noLocks @_noAllocation
  init(address: SocketAddress, local: SocketAddress?, carriesSendInstant: Bool) {
    (self.address, self.local, self.carriesSendInstant) = (address, local, carriesSendInstant)
  }
}
