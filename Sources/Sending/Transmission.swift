public import MusicalTime
public import RTPMIDI

/// What the driver needs to send the packet in ``StreamSender/packet``: the addresses, and what
/// ``StreamSender/seal(_:sentAt:)`` must add to the packet.
public struct Transmission: Sendable, BitwiseCopyable {
  /// The data port of the receiver.
  public let address: SocketAddress
  /// The local address from which the packet leaves; nil if the host chooses it.
  public let local: SocketAddress?
  /// The slot of the stream.
  let slot: Int
  /// Whether the packet has room for the send instant, which ``StreamSender/seal(_:sentAt:)`` writes.
  let carriesSendInstant: Bool
  /// The tick that the packet carries; nil for any other packet.
  public internal(set) var tick: Tick?
  /// Whether the tick leaves ahead of its due time, because the receiver honours time stamps.
  public internal(set) var isAhead = false

  @_noLocks @_noAllocation
  init(address: SocketAddress, local: SocketAddress?, slot: Int, carriesSendInstant: Bool) {
    (self.address, self.local, self.slot, self.carriesSendInstant) = (address, local, slot, carriesSendInstant)
  }
}
