import MusicalTime

/// A timeline message as a System Exclusive message of 106 bytes with F0 and F7.
///
/// The data are 7D 54 01 01 (version 1, kind 1, see ``MessageKind``) and these 87 octets, encoded by ``SevenBit``.
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
///     68      1        the number of clicks of the count-in, 0...16
///     69      1        the distance of these clicks in ticks, a multiple of 6, 6...96
///     70      4        the mix, one octet per part: keys, guitar, bass, drums; the level in percent, plus 128 if the part is stopped
///     74      4        the mix after its change
///     78      1        flags; bit 0: all players are quiet (``Mix/isQuiet``); bit 1: they are quiet after the change of the mix;
///                      bit 2: the mix changes
///     79      8        the tick of the change of the mix; 0 if there is none
extension TimelineMessage {
  private static let length = 87

  /// The 104 data octets of the message, without F0 and F7.
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
    octets.put(countIn.clicks)
    octets.put(countIn.ticksPerClick)
    octets.put(mix.value.octets)
    octets.put(mix.next.octets)
    octets.put(UInt8(mix.value.isQuiet ? 1 : 0) | UInt8(mix.next.isQuiet ? 2 : 0) | UInt8(mix.isChanging ? 4 : 0))
    octets.put(mix.isChanging ? mix.tick.index : 0)
    return MessageKind.timelineMessage.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, for values out of range, for an end before the
  /// start, and for ticks and instants that are so large that arithmetic with them would not be exact.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.timelineMessage.unwrap(bytes, length: Self.length) else { return nil }
    let claim = octets.takeClaim()
    revision = octets.take(UInt32.self)
    start = Tick(octets.take(Int64.self))
    end = Tick(octets.take(Int64.self))
    let nanosecondsPerQuarter = Int64(octets.take(UInt32.self))
    let origin = (tick: Tick(octets.take(Int64.self)), instant: Instant(nanoseconds: octets.take(Int64.self)))
    let tempoChange = (nanosecondsPerQuarter: Int64(octets.take(UInt32.self)), tick: Tick(octets.take(Int64.self)))
    let clicks = (count: octets.take(UInt8.self), distance: octets.take(UInt8.self))
    let levels = (octets.take(UInt32.self), octets.take(UInt32.self))
    let flags = octets.take(UInt8.self)
    let mixTick = Tick(octets.take(Int64.self))
    // 2^40 ticks last 87 years at the fastest tempo. 2^62 nanoseconds are 146 years.
    let ticks = Tick(-1 << 40)...Tick(1 << 40)
    let instants = Instant(nanoseconds: -1 << 62)...Instant(nanoseconds: 1 << 62)
    guard let claim, let tempo = Tempo(nanosecondsPerQuarter: nanosecondsPerQuarter), ticks.contains(start),
      ticks.contains(origin.tick),
      ticks.contains(end) || end == Tick(.max), end >= start, instants.contains(origin.instant),
      let countIn = CountIn(clicks: Int(clicks.count), ticksPerClick: Int(clicks.distance)),
      let mix = Mix(octets: levels.0, isQuiet: flags & 1 != 0),
      let nextMix = Mix(octets: levels.1, isQuiet: flags & 2 != 0), flags < 8, ticks.contains(mixTick)
    else { return nil }
    (self.claim, self.countIn) = (claim, countIn)
    self.mix = flags & 4 != 0 ? ChangingValue(mix, next: nextMix, from: mixTick) : ChangingValue(mix)
    timeline = Timeline(tempo: tempo, tick: origin.tick, at: origin.instant)
    if tempoChange.nanosecondsPerQuarter != 0 {
      guard let tempo = Tempo(nanosecondsPerQuarter: tempoChange.nanosecondsPerQuarter),
        ticks.contains(tempoChange.tick)
      else { return nil }
      change = TempoChange(tempo: tempo, tick: tempoChange.tick)
    }
  }
}
