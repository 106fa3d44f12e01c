import MusicalTime

/// A statement as a System Exclusive message of 80 bytes, between F0 and F7:
///
///     7D             non-commercial use (MIDI 1.0, System Exclusive)
///     54 01 01       'T', version 1, kind 1: statement
///     ...            64 octets in groups of seven, each group led by a byte with their top bits, first octet lowest:
///                    the usual way of 8-bit data in SysEx (MIDI 1.0, File Dump). In them, big endian:
///        4  term              8  first tick            4  nanoseconds a quarter      4  the same after the change, 0: no change
///        8  identity          8  end tick              8  origin tick                8  tick of the change
///        4  revision                                   8  origin instant, nanoseconds of the master's clock
extension Statement {
  private static var prefix: [UInt8] { [0x7D, 0x54, 0x01, 0x01] }
  private static let length = 64

  /// Whether a System Exclusive is Tutti's, of whatever version and kind.
  static func isMeant(by bytes: [UInt8]) -> Bool { bytes.starts(with: prefix.prefix(2)) }

  /// The message's data octets, 78 of them, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(Self.length)
    func put(_ value: some FixedWidthInteger) { withBigEndianOctets(of: value) { octets.append($0) } }
    put(claim.term)
    put(claim.identity.bits)
    put(revision)
    put(start.index)
    put(end.index)
    put(UInt32(timeline.tempo.nanosecondsPerQuarter))
    put(timeline.originTick.index)
    put(timeline.originInstant.nanoseconds)
    put(UInt32(change?.tempo.nanosecondsPerQuarter ?? 0))
    put(change?.tick.index ?? 0)
    return Self.prefix + SevenBit.encode(octets)
  }

  /// Reads ``systemExclusive``; nil for any other message, for a tempo out of range, or for ticks and instants so far
  /// away that arithmetic with them would not be exact.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard bytes.starts(with: Self.prefix), let octets = SevenBit.decode(bytes[Self.prefix.count...]),
      octets.count == Self.length
    else { return nil }
    var position = 0
    func take<Value: FixedWidthInteger>(_ type: Value.Type) -> Value {
      var value: Value = 0
      for _ in 0..<Value.bitWidth / 8 {
        value = value << 8 | Value(truncatingIfNeeded: octets[position])
        position += 1
      }
      return value
    }
    claim = Claim(term: take(UInt32.self), identity: Identity(take(UInt64.self)))
    revision = take(UInt32.self)
    start = Tick(take(Int64.self))
    end = Tick(take(Int64.self))
    let quarter = Int64(take(UInt32.self))
    let origin = (tick: Tick(take(Int64.self)), instant: Instant(nanoseconds: take(Int64.self)))
    let changed = (quarter: Int64(take(UInt32.self)), tick: Tick(take(Int64.self)))
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

private func withBigEndianOctets(of value: some FixedWidthInteger, _ body: (UInt8) -> Void) {
  for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) { body(UInt8(truncatingIfNeeded: value >> shift)) }
}
