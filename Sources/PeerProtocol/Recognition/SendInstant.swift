public import MusicalTime
public import RTPMIDI

/// The send instant: a ``HeaderExtension`` with the instant at which an RTP packet left.
///
/// The time stamp of an RTP packet is the time at which its commands take effect, in units of 100 us, often 90 ms after
/// the packet left. The send instant is in nanoseconds of the sender's clock.
///
///     54 55 | length 2 to 5 words, 16 bits | nanoseconds, 64 bits, signed | announced packets, 32 bits each
///
/// The announced packets are described at ``AnnouncedPackets``.
extension HeaderExtension {
  /// The extension that contains a send instant. Its profile 54 55 is the letters TU.
  ///
  /// Real-time: safe.
  public static var sendInstant: HeaderExtension {
    @_noLocks @_noAllocation get { sendInstant(announcing: 0) }
  }

  /// The extension that contains a send instant and `count` announced packets.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func sendInstant(announcing count: Int) -> HeaderExtension {
    HeaderExtension(profile: 0x5455, words: UInt16(truncatingIfNeeded: 2 + count))
  }

  /// Reads the send instant from `packet`; nil if this is another extension or if the packet is truncated.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func sendInstant(in packet: Span<UInt8>) -> Instant? {
    guard profile == 0x5455, words >= 2, Int(words) <= 2 + AnnouncedPackets.capacity, packet.count >= data.end
    else { return nil }
    return Instant(nanoseconds: Int64(bitPattern: packet.uint64(at: data.start)))
  }
}

extension RTPHeader {
  /// The offset of the send instant in a packet. The code that sends the packet reads the clock immediately before and
  /// writes the instant there.
  ///
  /// Real-time: safe.
  public static var instantOffset: Int { @_noLocks @_noAllocation get { HeaderExtension.dataOffset } }

  /// Reads the send instant; nil if the packet has none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func sendInstant(in packet: Span<UInt8>) -> Instant? {
    guard let headerExtension else { return nil }
    return headerExtension.sendInstant(in: packet)
  }
}

extension PacketSender {
  /// Whether each packet has room for a send instant, because the receiver is a Tutti peer. False at first. The packet
  /// sender leaves the room empty. The code that sends the packet writes the instant at ``RTPMIDI/RTPHeader/instantOffset``.
  ///
  /// Real-time: safe.
  public var sendsInstants: Bool {
    @_noLocks @_noAllocation get {
      if case .some = headerExtension { true } else { false }
    }
    @_noLocks @_noAllocation set {
      if newValue { headerExtension = .sendInstant } else { headerExtension = nil }
    }
  }
}
