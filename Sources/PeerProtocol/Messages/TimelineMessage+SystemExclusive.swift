import MusicalTime

/// A timeline message as a System Exclusive message of 114 to 308 bytes with F0 and F7.
///
/// The data are 7D 54 03 01 (version 3, kind 1, see ``MessageKind``) and these octets, encoded by ``SevenBit``. Numbers are big-endian.
/// A tick of five octets is a signed number of 40 bits. The fields after octet 93 are present only if the change exists. Octets after the
/// last field belong to later releases and are ignored.
///
///     octet   length   field
///     0       8        the term of the claim, plus 2^63 if it is kept (``Claim/isKept``)
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
///                      bits 2 to 6: the mix, the total activity, the tempo, the rhythm, the bars change; bit 7: there is a fill
///     59      4        the mix, one octet per part: keys, guitar, bass, drums; the level in percent, plus 128 if the part is stopped
///     63      1        the total activity, 0...127
///     64      5        the tick of step 0 of the rhythm
///     69      16       the digest of the rhythm; 0 if the master does not share it
///     85      5        a tick at which a bar begins
///     90      2        the meter: the beats of a bar, and the note value of a beat
///     92      1        the rule of the total activity; 0: sum, 1: mean, 2: maximum
///     93      1        flags of the score; bit 0: a score plays, or will play; bit 1: the score changes
///             5        the tick of the change of the mix
///             4        the mix after its change
///             5        the tick of the change of the total activity
///             1        the total activity after its change
///             1        the number of changes of the tempo, 1...8
///             5        the tick of the first one; of each further one, 3 octets: its distance from the one before in ticks, 1 or more
///             4        the tempo after the change, in nanoseconds per quarter note
///             5        the tick of the change of the rhythm, which is the tick of step 0 of the new rhythm
///             16       the digest of the rhythm after its change
///             5        the tick of the change of the bars, at which the first of the new bars begins
///             2        the meter after its change
///             5        the first tick of the bar of the fill
///
/// If a score plays, or will play, these fields follow:
///
///             4        the tempo factor in millionths: ``TimelineMessage/tempoFactor``
///             27       the score: a tick of 5 octets, the digest of 16 octets (0: no score), the bar (2), the pass (1), the end of the loop
///                      (2), flags; bit 0: the rhythm plays beside the score; bit 1: after a D.C. or D.S. (``ScoreLine``)
///             5        the tick of the change of the score
///             27       the score after its change
extension TimelineMessage {
  /// The length without changes, and with all of them.
  static let lengths = 94...264

  private enum Flag {
    static let isQuiet: UInt8 = 1
    static let becomesQuiet: UInt8 = 2
    static let changesMix: UInt8 = 4
    static let changesTotal: UInt8 = 8
    static let changesTempo: UInt8 = 16
    static let changesRhythm: UInt8 = 32
    static let changesGrid: UInt8 = 64
    static let hasFill: UInt8 = 128
  }

  /// The data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.lengths.upperBound)
    write(to: &octets)
    return MessageKind.timelineMessage.wrap(octets)
  }

  /// Appends the octets of the message.
  func write(to octets: inout OctetWriter) {
    octets.put(claim)
    octets.put(revision)
    octets.put(start.index)
    octets.put(end.index)
    octets.put(UInt32(tempo.first.tempo.nanosecondsPerQuarter))
    octets.put(tempo.first.originTick.index)
    octets.put(tempo.first.originInstant.nanoseconds)
    octets.put(countIn.clicks)
    octets.put(countIn.ticksPerClick)
    var flags = (mix.value.isQuiet ? Flag.isQuiet : 0) | (mix.next.isQuiet ? Flag.becomesQuiet : 0)
    if mix.isChanging { flags |= Flag.changesMix }
    if total.isChanging { flags |= Flag.changesTotal }
    if tempo.changeCount > 0 { flags |= Flag.changesTempo }
    if rhythm.isChanging { flags |= Flag.changesRhythm }
    if grid.isChanging { flags |= Flag.changesGrid }
    if fill != Tick(.max) { flags |= Flag.hasFill }
    octets.put(flags)
    octets.put(mix.value.octets)
    octets.put(total.value)
    octets.put(rhythm.value)
    octets.put(grid.value)
    octets.put(totalRule.rawValue)
    let hasScore = score != ChangingValue(.none)
    octets.put(UInt8(hasScore ? score.isChanging ? 3 : 1 : 0))
    if mix.isChanging {
      octets.put(mix.tick)
      octets.put(mix.next.octets)
    }
    if total.isChanging {
      octets.put(total.tick)
      octets.put(total.next)
    }
    if tempo.changeCount > 0 { octets.put(tempo.changes) }
    if rhythm.isChanging { octets.put(rhythm.next) }
    if grid.isChanging { octets.put(grid.next) }
    if fill != Tick(.max) { octets.put(fill) }
    guard hasScore else { return }
    octets.put(tempoFactor)
    octets.put(score.value)
    if score.isChanging {
      octets.put(score.tick)
      octets.put(score.next)
    }
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, for values out of range, for an end before the
  /// start, and for ticks and instants that are so large that arithmetic with them would not be exact.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.timelineMessage.unwrap(bytes, atLeast: Self.lengths.lowerBound) else { return nil }
    self.init(&octets)
  }

  /// Reads the octets of a message, under the same conditions.
  init?(_ octets: inout OctetReader) {
    let claim = octets.takeClaim()
    revision = octets.take(UInt32.self)
    start = Tick(octets.take(Int64.self))
    end = Tick(octets.take(Int64.self))
    let nanosecondsPerQuarter = Int64(octets.take(UInt32.self))
    let origin = (tick: Tick(octets.take(Int64.self)), instant: Instant(nanoseconds: octets.take(Int64.self)))
    let clicks = (count: octets.take(UInt8.self), distance: octets.take(UInt8.self))
    let flags = octets.take(UInt8.self)
    let (levels, activity) = (octets.take(UInt32.self), octets.take(UInt8.self))
    let (line, bars) = (octets.takeRhythm(), octets.takeGrid())
    let rule = TotalActivityRule(rawValue: octets.take(UInt8.self))
    let scoreFlags = octets.take(UInt8.self)
    // The range of a number of 40 bits. 2^39 ticks last 43 years at the fastest tempo. 2^62 nanoseconds are 146 years.
    let ticks = Tick(-1 << 39)..<Tick(1 << 39)
    let instants = Instant(nanoseconds: -1 << 62)...Instant(nanoseconds: 1 << 62)
    guard let claim, let tempo = Tempo(nanosecondsPerQuarter: nanosecondsPerQuarter), ticks.contains(start),
      ticks.contains(origin.tick),
      ticks.contains(end) || end == Tick(.max), end >= start, instants.contains(origin.instant),
      let countIn = CountIn(clicks: Int(clicks.count), ticksPerClick: Int(clicks.distance)),
      let mix = Mix(octets: levels, isQuiet: flags & Flag.isQuiet != 0), activity <= 127, let bars, let rule
    else { return nil }
    (self.claim, self.countIn) = (claim, countIn)
    self.tempo = TempoMap(Timeline(tempo: tempo, tick: origin.tick, at: origin.instant))
    (self.mix, total) = (ChangingValue(mix), ChangingValue(activity))
    (rhythm, grid, totalRule) = (ChangingValue(line), ChangingValue(bars), rule)
    if flags & Flag.changesMix != 0 {
      let tick = octets.takeTick()
      guard let next = Mix(octets: octets.take(UInt32.self), isQuiet: flags & Flag.becomesQuiet != 0) else {
        return nil
      }
      self.mix = ChangingValue(mix, next: next, from: tick)
    }
    if flags & Flag.changesTotal != 0 {
      let (tick, next) = (octets.takeTick(), octets.take(UInt8.self))
      guard next <= 127 else { return nil }
      total = ChangingValue(activity, next: next, from: tick)
    }
    if flags & Flag.changesTempo != 0 {
      guard octets.takeChanges(of: &self.tempo) else { return nil }
    }
    if flags & Flag.changesRhythm != 0 {
      let next = octets.takeRhythm()
      rhythm = ChangingValue(line, next: next, from: next.origin)
    }
    if flags & Flag.changesGrid != 0 {
      guard let next = octets.takeGrid() else { return nil }
      grid = ChangingValue(bars, next: next, from: next.origin)
    }
    fill = flags & Flag.hasFill != 0 ? octets.takeTick() : Tick(.max)
    (score, tempoFactor) = (ChangingValue(.none), 1_000_000)
    if scoreFlags & 1 != 0 {
      tempoFactor = octets.take(UInt32.self)
      guard Self.tempoFactors.contains(tempoFactor), let line = octets.takeScore() else { return nil }
      score = ChangingValue(line)
      if scoreFlags & 2 != 0 {
        let tick = octets.takeTick()
        guard let next = octets.takeScore() else { return nil }
        score = ChangingValue(line, next: next, from: tick)
      }
    }
    if octets.isIncomplete { return nil }
  }
}

extension OctetWriter {
  /// Appends a tick as a signed number of 40 bits.
  fileprivate mutating func put(_ tick: Tick) {
    put(UInt8(truncatingIfNeeded: tick.index >> 32))
    put(UInt32(truncatingIfNeeded: tick.index))
  }

  /// Appends one or more changes of the tempo.
  fileprivate mutating func put(_ changes: [TempoChange]) {
    put(UInt8(changes.count))
    for (index, change) in changes.enumerated() {
      if index == 0 {
        put(change.tick)
      } else {
        let distance = change.tick - changes[index - 1].tick
        put(UInt8(truncatingIfNeeded: distance >> 16))
        put(UInt16(truncatingIfNeeded: distance))
      }
      put(UInt32(change.tempo.nanosecondsPerQuarter))
    }
  }

  fileprivate mutating func put(_ line: RhythmLine) {
    put(line.origin)
    put(line.digest)
  }

  fileprivate mutating func put(_ line: ScoreLine) {
    put(line.origin)
    put(line.digest)
    put(line.bar)
    put(line.pass)
    put(line.loopEnd)
    put(UInt8((line.playsRhythm ? 1 : 0) | (line.isAfterJump ? 2 : 0)))
  }

  fileprivate mutating func put(_ grid: BarGrid) {
    put(grid.origin)
    put(UInt8(grid.meter.beats))
    put(UInt8(grid.meter.unit))
  }
}

extension OctetReader {
  fileprivate mutating func takeTick() -> Tick {
    let high = Int64(Int8(bitPattern: take(UInt8.self)))
    return Tick(high << 32 | Int64(take(UInt32.self)))
  }

  /// Reads the changes of the tempo. Returns false if a change is impossible.
  fileprivate mutating func takeChanges(of map: inout TempoMap) -> Bool {
    let count = take(UInt8.self)
    guard (1...TempoMap.maximumChanges).contains(Int(count)) else { return false }
    var tick = takeTick()
    for index in 0..<count {
      if index > 0 { tick = tick + (Int64(take(UInt8.self)) << 16 | Int64(take(UInt16.self))) }
      guard let tempo = Tempo(nanosecondsPerQuarter: Int64(take(UInt32.self))),
        map.append(TempoChange(tempo: tempo, tick: tick))
      else { return false }
    }
    return true
  }

  fileprivate mutating func takeRhythm() -> RhythmLine {
    let origin = takeTick()
    return RhythmLine(takeDigest(), from: origin)
  }

  /// Reads a line of a score; nil if its bars are impossible.
  fileprivate mutating func takeScore() -> ScoreLine? {
    let (origin, digest) = (takeTick(), takeDigest())
    let (bar, pass, end) = (take(UInt16.self), take(UInt8.self), take(UInt16.self))
    let flags = take(UInt8.self)
    guard bar <= ScoreLine.maximumBar, end <= ScoreLine.maximumBar, pass > 0, end == 0 || end > bar else { return nil }
    var line = ScoreLine(digest, from: origin, bar: bar, pass: pass, loopEnd: end, playsRhythm: flags & 1 != 0)
    line.isAfterJump = flags & 2 != 0
    return line
  }

  /// Reads a grid; nil if its meter does not exist.
  fileprivate mutating func takeGrid() -> BarGrid? {
    let origin = takeTick()
    let (beats, unit) = (take(UInt8.self), take(UInt8.self))
    return Meter(beats: Int(beats), unit: Int(unit)).map { BarGrid($0, from: origin) }
  }
}
