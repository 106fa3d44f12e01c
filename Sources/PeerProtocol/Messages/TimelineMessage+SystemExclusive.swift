import MusicalTime

/// A timeline message as a System Exclusive message of 84 bytes with F0 and F7.
///
/// The data are 7D 54 01 01 (version 1, kind 1, see ``MessageKind``) and these 68 octets, encoded by ``SevenBit``.
/// Numbers are big-endian.
///
///     octet   length   field
///     0       8        the term of the claim
///     8       8        the identity of the claim
///     16      4        the revision
///     20      8        the first tick
///     28      8        the end tick
///     36      4        the tempo, in nanoseconds per quarter note
///     40      8        the origin tick
///     48      8        the origin instant, in nanoseconds of the master's clock
///     56      4        the tempo after the change, in nanoseconds per quarter note; 0 if there is no change
///     60      8        the tick of the change
extension TimelineMessage {
  private static let length = 68

  /// The 82 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(claim)
    octets.put(revision)
    octets.put(start.index)
    octets.put(end.index)
    octets.put(UInt32(timeline.tempo.nanosecondsPerQuarter))
    octets.put(timeline.originTick.index)
    octets.put(timeline.originInstant.nanoseconds)
    octets.put(UInt32(change?.tempo.nanosecondsPerQuarter ?? 0))
    octets.put(change?.tick.index ?? 0)
    return MessageKind.timelineMessage.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, for a tempo out of range, for an end before the start,
  /// and for ticks and instants that are so large that arithmetic with them would not be exact.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.timelineMessage.unwrap(bytes, length: Self.length) else { return nil }
    claim = octets.takeClaim()
    revision = octets.take(UInt32.self)
    start = Tick(octets.take(Int64.self))
    end = Tick(octets.take(Int64.self))
    let nanosecondsPerQuarter = Int64(octets.take(UInt32.self))
    let origin = (tick: Tick(octets.take(Int64.self)), instant: Instant(nanoseconds: octets.take(Int64.self)))
    let next = (nanosecondsPerQuarter: Int64(octets.take(UInt32.self)), tick: Tick(octets.take(Int64.self)))
    // 2^40 ticks last 87 years at the fastest tempo. 2^62 nanoseconds are 146 years.
    let ticks = Tick(-1 << 40)...Tick(1 << 40)
    let instants = Instant(nanoseconds: -1 << 62)...Instant(nanoseconds: 1 << 62)
    guard let tempo = Tempo(nanosecondsPerQuarter: nanosecondsPerQuarter), ticks.contains(start),
      ticks.contains(origin.tick),
      ticks.contains(end) || end == Tick(.max), end >= start, instants.contains(origin.instant)
    else { return nil }
    timeline = Timeline(tempo: tempo, tick: origin.tick, at: origin.instant)
    if next.nanosecondsPerQuarter != 0 {
      guard let tempo = Tempo(nanosecondsPerQuarter: next.nanosecondsPerQuarter), ticks.contains(next.tick) else {
        return nil
      }
      change = TempoChange(tempo: tempo, tick: next.tick)
    }
  }
}
