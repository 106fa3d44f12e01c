import MusicalTime

/// A timeline message as a System Exclusive message of 80 bytes, between F0 and F7:
///
///     7D             non-commercial use (MIDI 1.0, System Exclusive)
///     54 01 01       'T', version 1, kind 1: timeline message (``MessageKind``)
///     ...            64 octets in groups of seven, a byte with their top bits before each group (MIDI 1.0, File Dump); in
///                    them, big-endian:
///        4  term              8  first tick            4  nanoseconds per quarter    4  the same after the change, 0: no change
///        8  identity          8  end tick              8  origin tick                8  tick of the change
///        4  revision                                   8  origin instant, nanoseconds of the master's clock
extension TimelineMessage {
  private static let length = 64

  /// The 78 data octets of the message, without F0 and F7.
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

  /// Reads ``systemExclusive``. Returns nil for any other message, for a tempo out of range, and for ticks and instants that are
  /// so large that arithmetic with them would not be exact.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.timelineMessage.unwrap(bytes, length: Self.length) else { return nil }
    claim = octets.takeClaim()
    revision = octets.take(UInt32.self)
    start = Tick(octets.take(Int64.self))
    end = Tick(octets.take(Int64.self))
    let quarter = Int64(octets.take(UInt32.self))
    let origin = (tick: Tick(octets.take(Int64.self)), instant: Instant(nanoseconds: octets.take(Int64.self)))
    let changed = (quarter: Int64(octets.take(UInt32.self)), tick: Tick(octets.take(Int64.self)))
    // 2^40 ticks are 15 years at the fastest tempo, 2^62 nanoseconds 146 years.
    let ticks = Tick(-1 << 40)...Tick(1 << 40)
    let instants = Instant(nanoseconds: -1 << 62)...Instant(nanoseconds: 1 << 62)
    guard let tempo = Tempo(nanosecondsPerQuarter: quarter), ticks.contains(start), ticks.contains(origin.tick),
      ticks.contains(end) || end == Tick(.max), end >= start, instants.contains(origin.instant)
    else { return nil }
    timeline = Timeline(tempo: tempo, tick: origin.tick, at: origin.instant)
    if changed.quarter != 0 {
      guard let tempo = Tempo(nanosecondsPerQuarter: changed.quarter), ticks.contains(changed.tick) else { return nil }
      change = TempoChange(tempo: tempo, tick: changed.tick)
    }
  }
}
