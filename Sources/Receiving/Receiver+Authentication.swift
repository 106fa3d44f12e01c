public import PeerProtocol
public import RTPMIDI

// The tags of sessions with a passkey.
extension Receiver {
  /// Checks the tag of a datagram, if the session of its source has a passkey.
  ///
  /// A datagram that can begin a session has no tag: its sender has no keys yet, or has lost them. Such a datagram cannot affect
  /// the existing session of its source.
  ///
  /// - Parameters:
  ///   - address: the address of the sender.
  ///   - port: the local port at which the datagram has arrived.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func authenticate(
    _ datagram: Span<UInt8>, _ header: DatagramHeader, from address: SocketAddress, port: Port
  ) -> DatagramAuthenticity {
    guard let place = sources.place(of: header.ssrc, onHostOf: address),
      case .some = blocks[place.block].sessions[place.index].opener
    else { return .unprotected }
    if header.canBegin { return .beginning }
    guard let count = blocks[place.block].sessions[place.index].opener?.open(datagram, port: port) else {
      return .refused
    }
    return .authentic(count: count)
  }

  /// Whether a packet that arrived before its session was opened is accepted. Removes the tag of the packet by reducing
  /// its count.
  // This attribute excludes the function from the check of the real-time annotations. The check mistakes the end of a
  // span's lifetime for a deallocation.
  @_semantics("no_performance_analysis")
  mutating func admit(_ packet: inout EarlyPacket) -> Bool {
    let octets = packet.octets.span.extracting(first: packet.count)
    switch authenticate(octets, DatagramHeader(octets), from: packet.source, port: .data) {
    case .unprotected, .beginning: return true
    case .authentic(let count):
      packet.count = count
      return true
    case .refused: return false
    }
  }

  /// The sealer for replies to the peer of a session; nil without a passkey, and if there is no such session. A sealer
  /// counts its packets. After the driver has sealed a reply, it must therefore assign its copy of the sealer back.
  ///
  /// Real-time: safe.
  public subscript(sealerFor ssrc: UInt32, onHostOf address: SocketAddress) -> DatagramSealer? {
    // Mutating, because a call of another getter copies the receiver (6 kB) if it is a property of a class.
    @_noLocks @_noAllocation mutating get {
      guard let place = sources.place(of: ssrc, onHostOf: address) else { return nil }
      return blocks[place.block].sessions[place.index].sealer
    }
    @_noLocks @_noAllocation set {
      guard let place = sources.place(of: ssrc, onHostOf: address) else { return }
      blocks[place.block].sessions[place.index].sealer = newValue
    }
  }
}
