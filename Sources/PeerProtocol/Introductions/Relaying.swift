import MusicalTime

/// A message in which a peer asks a member to forward the messages of other members, which the peer cannot reach. It is repeated every two
/// seconds, and replaces the last one.
public struct RelayRequest: Hashable, Sendable {
  /// The largest number of members.
  public static let maximumCount = 15

  /// At most ``maximumCount``.
  public var members: [Identity]

  public init(_ members: [Identity]) { self.members = Array(members.prefix(Self.maximumCount)) }

  /// The data octets of the System Exclusive message, without F0 and F7. The data are 7D 54 03 0B (version 3, kind 11, see ``MessageKind``)
  /// and the eight octets of each identity, encoded by ``SevenBit``.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: 8 * members.count)
    for member in members { octets.put(member.bits) }
    return MessageKind.relayRequest.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.relayRequest.unwrap(bytes, lengths: 0...8 * Self.maximumCount) else { return nil }
    members = []
    while !octets.isAtEnd { members.append(Identity(octets.take(UInt64.self))) }
    if octets.isIncomplete { return nil }
  }
}

/// A presence that a member has forwarded, unchanged, together with the relation of the two clocks.
public struct RelayedPresence: Hashable, Sendable {
  /// The clock of the author as the forwarding peer knows it: a line through an instant.
  public struct Clock: Hashable, Sendable {
    /// The instant, by the clock of the forwarding peer.
    public var instant: Instant
    /// The clock of the author minus that of the forwarding peer at this instant.
    public var offset: Nanoseconds
    /// The rate of the author's clock relative to that of the forwarding peer, minus 1, in millionths of a ppm. At most 1000 ppm.
    public var skew: Int32
    /// The largest error of the offset, at most 4 s.
    public var uncertainty: Nanoseconds

    /// The largest ``skew``.
    static let maximumSkew: Int32 = 1_000_000_000

    /// - Parameter skew: the rate minus 1, in ppm.
    public init(instant: Instant, offset: Nanoseconds, skew: Double, uncertainty: Nanoseconds) {
      let limit = Double(Self.maximumSkew)
      (self.instant, self.offset) = (instant, offset)
      self.skew = Int32(max(-limit, min(limit, (skew * 1e6).rounded())))
      self.uncertainty = max(.zero, min(uncertainty, .seconds(4)))
    }
  }

  /// The presence, as its author has sent it to the first peer that forwards it.
  public var presence: Presence
  /// The number of peers that have forwarded it, 1...15.
  public var hops: UInt8
  /// Nil while the forwarding peer does not know the clock of the author.
  public var clock: Clock?

  public init(_ presence: Presence, hops: UInt8, clock: Clock?) {
    (self.presence, self.hops, self.clock) = (presence, hops, clock)
  }

  /// The data octets of the System Exclusive message, without F0 and F7. The data are 7D 54 03 0C (version 3, kind 12, see ``MessageKind``)
  /// and these octets, encoded by ``SevenBit``. Numbers are big-endian.
  ///
  ///     octet   length   field
  ///     0       1        the number of hops, 1...15
  ///     1       8        the instant, by the clock of the forwarding peer; 0 if the clock of the author is not known
  ///     9       8        the clock of the author minus that of the forwarding peer at this instant, in nanoseconds
  ///     17      4        the rate minus 1, in millionths of a ppm
  ///     21      4        the largest error of the offset in nanoseconds
  ///     25      153      the octets of the presence
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(hops)
    octets.put(clock?.instant.nanoseconds ?? 0)
    octets.put(clock?.offset.count ?? 0)
    octets.put(clock?.skew ?? 0)
    octets.put(UInt32(clamping: clock?.uncertainty.count ?? 0))
    presence.write(to: &octets)
    return MessageKind.relayedPresence.wrap(octets)
  }

  private static let length = 25 + Presence.length

  /// Reads ``systemExclusive``. Returns nil for any other message and for values out of range.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.relayedPresence.unwrap(bytes, atLeast: Self.length) else { return nil }
    hops = octets.take(UInt8.self)
    let instant = Instant(nanoseconds: octets.take(Int64.self))
    let offset = Nanoseconds(octets.take(Int64.self))
    let (skew, uncertainty) = (octets.take(Int32.self), Nanoseconds(Int64(octets.take(UInt32.self))))
    guard let presence = Presence(&octets), (1...Introduction.maximumHops).contains(hops),
      (-Clock.maximumSkew...Clock.maximumSkew).contains(skew),
      // 2^62 nanoseconds are 146 years.
      abs(instant.nanoseconds.clamped) <= 1 << 62, abs(offset.count.clamped) <= 1 << 62
    else { return nil }
    self.presence = presence
    clock =
      instant.nanoseconds == 0
      ? nil : Clock(instant: instant, offset: offset, skew: Double(skew) / 1e6, uncertainty: uncertainty)
  }
}

extension Int64 {
  /// The number, but not the one whose absolute value does not exist.
  fileprivate var clamped: Int64 { Swift.max(self, -Int64.max) }
}

/// A timeline message that a member has forwarded, unchanged. Its term and its revision, which its author increases, are its number.
public struct RelayedTimeline: Hashable, Sendable {
  public var message: TimelineMessage
  /// The number of peers that have forwarded it, 1...15.
  public var hops: UInt8

  public init(_ message: TimelineMessage, hops: UInt8) { (self.message, self.hops) = (message, hops) }

  /// The data octets of the System Exclusive message, without F0 and F7. The data are 7D 54 03 0D (version 3, kind 13, see ``MessageKind``),
  /// an octet with the number of hops, and the octets of the timeline message, encoded by ``SevenBit``.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: 1 + TimelineMessage.lengths.upperBound)
    octets.put(hops)
    message.write(to: &octets)
    return MessageKind.relayedTimeline.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and under the conditions of
  /// ``TimelineMessage/init(systemExclusive:)``.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard
      var octets = MessageKind.relayedTimeline.unwrap(bytes, atLeast: 1 + TimelineMessage.lengths.lowerBound)
    else { return nil }
    hops = octets.take(UInt8.self)
    guard (1...Introduction.maximumHops).contains(hops), let message = TimelineMessage(&octets) else { return nil }
    self.message = message
  }
}
