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

/// Rejects send instants of a peer whose clock stands still or runs backwards.
///
/// A packet can overtake another packet. The overtaken packet then arrives with a send instant that is earlier than the newest
/// send instant, because the overtaken packet had a longer delay. If the difference of the delays would be more than one second,
/// the packet was not overtaken: the remote clock stands still or runs backwards. The send instant is then rejected.
///
/// A clock that was set back once continues from its new time. Therefore an instant is accepted nevertheless if the last three
/// rejected instants and this one increase. Instants of overtaken packets do not count.
struct SendInstantFilter: BitwiseCopyable {
  /// The largest accepted additional delay of a packet that was overtaken.
  private static let longestDelay = Nanoseconds.seconds(1)
  /// The number of increases in a row, from one rejected instant to the next, after which an instant is accepted nevertheless.
  private static let requiredIncreases = 3

  /// The newest accepted send instant (remote) and the arrival of its packet (local).
  private var newest: (local: Instant, remote: Instant)?
  /// The last rejected instant; nil if ``newest`` has changed since.
  private var rejected: Instant?
  /// How many rejected instants in a row were later than the rejected instant before them.
  private var increases = 0

  /// Returns whether the send instant `remote` of a packet that arrived at `local` may be used.
  mutating func accept(_ remote: Instant, at local: Instant) -> Bool {
    if let newest, case let step = remote - newest.remote, step <= .zero {
      // The delay of this packet minus the delay of the packet with the newest send instant. Negative if it overflows.
      let additionalDelay = (local - newest.local) - step
      guard additionalDelay > Self.longestDelay || additionalDelay < .zero else { return true }
      increases = rejected.map { remote - $0 > .zero } == true ? increases + 1 : 0
      rejected = remote
      guard increases >= Self.requiredIncreases else { return false }
    }
    newest = (local, remote)
    (rejected, increases) = (nil, 0)
    return true
  }
}
