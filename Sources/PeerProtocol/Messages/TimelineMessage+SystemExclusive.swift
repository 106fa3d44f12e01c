import MusicalTime

/// A timeline message as a System Exclusive message of 80 to 107 bytes with F0 and F7.
///
/// The data are 7D 54 03 01 (version 3, kind 1, see ``MessageKind``) and these octets, encoded by ``SevenBit``. Numbers are big-endian.
/// The fields after octet 63 are present only if the change exists. Ticks of changes count from the first tick with a sound: the first
/// click of the count-in, or the first tick of the rhythm. Octets after the last field belong to later releases and are ignored.
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
///     56      1        the number of clicks of the count-in, 0...16
///     57      1        the distance of these clicks in ticks, a multiple of 6, 6...96
///     58      1        flags; bit 0: all players are quiet (``Mix/isQuiet``); bit 1: they are quiet after the change of the mix;
///                      bits 2, 3 and 4: the mix, the total activity, the tempo changes
///     59      4        the mix, one octet per part: keys, guitar, bass, drums; the level in percent, plus 128 if the part is stopped
///     63      1        the total activity, 0...127
///             5        the tick of the change of the mix
///             4        the mix after its change
///             5        the tick of the change of the total activity
///             1        the total activity after its change
///             5        the tick of the change of the tempo
///             4        the tempo after its change, in nanoseconds per quarter note
extension TimelineMessage {
  /// The length without changes, and with all of them.
  private static let lengths = 64...88

  private enum Flag {
    static let isQuiet: UInt8 = 1
    static let becomesQuiet: UInt8 = 2
    static let changesMix: UInt8 = 4
    static let changesTotal: UInt8 = 8
    static let changesTempo: UInt8 = 16
    static let all: UInt8 = 31
  }

  /// The tick from which the ticks of the changes count.
  private var firstSound: Tick { start + -countIn.ticks }

  /// The data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.lengths.upperBound)
    octets.put(claim)
    octets.put(revision)
    octets.put(start.index)
    octets.put(end.index)
    octets.put(UInt32(timeline.tempo.nanosecondsPerQuarter))
    octets.put(timeline.originTick.index)
    octets.put(timeline.originInstant.nanoseconds)
    octets.put(countIn.clicks)
    octets.put(countIn.ticksPerClick)
    var flags = (mix.value.isQuiet ? Flag.isQuiet : 0) | (mix.next.isQuiet ? Flag.becomesQuiet : 0)
    if mix.isChanging { flags |= Flag.changesMix }
    if total.isChanging { flags |= Flag.changesTotal }
    if change != nil { flags |= Flag.changesTempo }
    octets.put(flags)
    octets.put(mix.value.octets)
    octets.put(total.value)
    if mix.isChanging {
      octets.put(distance: mix.tick - firstSound)
      octets.put(mix.next.octets)
    }
    if total.isChanging {
      octets.put(distance: total.tick - firstSound)
      octets.put(total.next)
    }
    if let change {
      octets.put(distance: change.tick - firstSound)
      octets.put(UInt32(change.tempo.nanosecondsPerQuarter))
    }
    return MessageKind.timelineMessage.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, for values out of range, for an end before the
  /// start, and for ticks and instants that are so large that arithmetic with them would not be exact.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.timelineMessage.unwrap(bytes, atLeast: Self.lengths.lowerBound) else { return nil }
    let claim = octets.takeClaim()
    revision = octets.take(UInt32.self)
    start = Tick(octets.take(Int64.self))
    end = Tick(octets.take(Int64.self))
    let nanosecondsPerQuarter = Int64(octets.take(UInt32.self))
    let origin = (tick: Tick(octets.take(Int64.self)), instant: Instant(nanoseconds: octets.take(Int64.self)))
    let clicks = (count: octets.take(UInt8.self), distance: octets.take(UInt8.self))
    let flags = octets.take(UInt8.self)
    let (levels, activity) = (octets.take(UInt32.self), octets.take(UInt8.self))
    // 2^40 ticks last 87 years at the fastest tempo. 2^62 nanoseconds are 146 years.
    let ticks = Tick(-1 << 40)...Tick(1 << 40)
    let instants = Instant(nanoseconds: -1 << 62)...Instant(nanoseconds: 1 << 62)
    guard let claim, let tempo = Tempo(nanosecondsPerQuarter: nanosecondsPerQuarter), ticks.contains(start),
      ticks.contains(origin.tick),
      ticks.contains(end) || end == Tick(.max), end >= start, instants.contains(origin.instant),
      let countIn = CountIn(clicks: Int(clicks.count), ticksPerClick: Int(clicks.distance)), flags <= Flag.all,
      let mix = Mix(octets: levels, isQuiet: flags & Flag.isQuiet != 0), activity <= 127
    else { return nil }
    (self.claim, self.countIn) = (claim, countIn)
    timeline = Timeline(tempo: tempo, tick: origin.tick, at: origin.instant)
    (self.mix, total) = (ChangingValue(mix), ChangingValue(activity))
    if flags & Flag.changesMix != 0 {
      let distance = octets.takeDistance()
      guard
        let next = Mix(octets: octets.take(UInt32.self), isQuiet: flags & Flag.becomesQuiet != 0),
        ticks.contains(firstSound + distance)
      else { return nil }
      self.mix = ChangingValue(mix, next: next, from: firstSound + distance)
    }
    if flags & Flag.changesTotal != 0 {
      let (distance, next) = (octets.takeDistance(), octets.take(UInt8.self))
      guard next <= 127, ticks.contains(firstSound + distance) else { return nil }
      total = ChangingValue(activity, next: next, from: firstSound + distance)
    }
    if flags & Flag.changesTempo != 0 {
      let distance = octets.takeDistance()
      guard ticks.contains(firstSound + distance),
        let tempo = Tempo(nanosecondsPerQuarter: Int64(octets.take(UInt32.self)))
      else { return nil }
      change = TempoChange(tempo: tempo, tick: firstSound + distance)
    }
    if octets.isIncomplete { return nil }
  }
}

extension OctetWriter {
  /// Appends a distance in ticks as a number of 40 bits, 0..<2^40.
  fileprivate mutating func put(distance: Int64) {
    put(UInt8(truncatingIfNeeded: distance >> 32))
    put(UInt32(truncatingIfNeeded: distance))
  }
}

extension OctetReader {
  /// Reads a distance in ticks.
  fileprivate mutating func takeDistance() -> Int64 { Int64(take(UInt8.self)) << 32 | Int64(take(UInt32.self)) }
}
