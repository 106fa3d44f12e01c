import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// A random timeline message. It has an end if `seed` is odd, one to eight tempo changes if `seed` is a multiple of three, a change of the mix
/// if `seed` is a multiple of five, of the total activity for seven, of the bars for eleven, and of the rhythm if `seed` is even. It has a fill for thirteen,
/// a score for four, and a change of the score for eight.
private func timelineMessage(seed: UInt64) -> TimelineMessage {
  var random = SplitMix(seed: seed)
  func tempo() -> Tempo { Tempo(nanosecondsPerQuarter: random.integer(in: Tempo.lengths))! }
  let start = Tick(random.integer(in: 0...1_000_000))
  func mix() -> Mix {
    var mix = Mix()
    for part in 0..<Mix.partCount {
      mix.setLevel(Int(random.integer(in: 0...100)), ofPart: part)
      mix.setPlays(random.next() % 2 == 0, part: part)
    }
    mix.isQuiet = random.next() % 2 == 0
    return mix
  }
  let mixTick = start + random.integer(in: 0...1000)
  func digest() -> DocumentDigest? {
    random.next() % 3 == 0 ? nil : DocumentDigest(high: random.next(), low: random.next())
  }
  let line = RhythmLine(digest(), from: Tick(random.integer(in: -(1 << 39)...1 << 39 - 1)))
  let meter = Meter(beats: Int(random.integer(in: 1...16)), unit: 1 << Int(random.integer(in: 1...4)))!
  let grid = BarGrid(meter, from: Tick(random.integer(in: -1_000_000...1_000_000)))
  let timeline = Timeline(
    tempo: tempo(), tick: Tick(random.integer(in: -1_000_000...1_000_000)),
    at: Instant(nanoseconds: random.integer(in: -(1 << 62)...(1 << 62))))
  var tick = start
  let changes = (0..<random.integer(in: 1...8)).map { _ in
    tick = tick + random.integer(in: 1...TempoMap.maximumDistance)
    return TempoChange(tempo: tempo(), tick: tick)
  }
  func scoreLine() -> ScoreLine {
    let bar = UInt16(random.integer(in: 0...9998))
    var line = ScoreLine(
      digest(), from: Tick(random.integer(in: -(1 << 39)...1 << 39 - 1)), bar: bar,
      pass: UInt8(random.integer(in: 1...255)),
      loopEnd: random.next() % 2 == 0 ? 0 : bar + UInt16(random.integer(in: 1...2)), playsRhythm: random.next() % 2 == 0
    )
    line.isAfterJump = random.next() % 2 == 0
    return line
  }
  let score =
    seed % 8 == 0
    ? ChangingValue(scoreLine(), next: scoreLine(), from: mixTick) : ChangingValue(scoreLine())
  return TimelineMessage(
    claim: Claim(term: random.next() >> 1 | 1, identity: Identity(random.next())),
    revision: UInt32(truncatingIfNeeded: random.next()), start: start,
    end: seed % 2 == 0 ? Tick(.max) : start + random.integer(in: 0...1_000_000),
    tempo: TempoMap(timeline, changes: seed % 3 == 0 ? changes : []),
    countIn: CountIn(clicks: Int(random.integer(in: 0...16)), ticksPerClick: 6 * Int(random.integer(in: 1...16)))!,
    mix: seed % 5 == 0 ? ChangingValue(mix(), next: mix(), from: mixTick) : ChangingValue(mix()),
    total: seed % 7 == 0 ? ChangingValue(3, next: 127, from: mixTick) : ChangingValue(UInt8(seed % 128)),
    rhythm: seed % 2 == 0
      ? ChangingValue(line, next: RhythmLine(digest(), from: mixTick), from: mixTick) : ChangingValue(line),
    grid: seed % 11 == 0
      ? ChangingValue(grid, next: BarGrid(.common, from: mixTick), from: mixTick) : ChangingValue(grid),
    fill: seed % 13 == 0 ? start + random.integer(in: 0...1000) : Tick(.max),
    score: seed % 4 == 0 ? score : ChangingValue(.none),
    tempoFactor: seed % 4 == 0 ? UInt32(random.integer(in: 100_000...4_000_000)) : 1_000_000)
}

/// Tests of the encoding of ``TimelineMessage``, in which the master announces its timeline.
@Suite struct TimelineMessageTests {
  @Test(arguments: UInt64(1)...200) func encodedMessageDecodesToItself(seed: UInt64) {
    let timelineMessage = timelineMessage(seed: seed)
    let bytes = timelineMessage.systemExclusive
    #expect(bytes.count <= 306 && bytes.allSatisfy { $0 < 0x80 })
    #expect(TimelineMessage(systemExclusive: bytes) == timelineMessage)
  }

  @Test func layoutIsAsDocumented() {
    var mix = Mix()
    mix.setLevel(50, ofPart: 1)
    mix.setPlays(false, part: 1)
    mix.isQuiet = true
    let timelineMessage = TimelineMessage(
      claim: Claim(term: 1, identity: Identity(0x8899_AABB_CCDD_EEFF)), revision: 2, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(
        Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0x0102_0304_0506_0708)),
        changes: [256, 65_794].map { TempoChange(tempo: .standard, tick: Tick($0)) }),
      countIn: CountIn(clicks: 4, ticksPerClick: 12)!,
      mix: ChangingValue(mix, next: Mix(), from: Tick(96)), total: ChangingValue(100, next: 127, from: Tick(48)),
      totalRule: .maximum,
      rhythm: ChangingValue(
        RhythmLine(DocumentDigest(high: 0x0102_0304_0506_0708, low: 0xFF), from: Tick(-96)),
        next: RhythmLine(nil, from: Tick(0x01_0000_0000)), from: Tick(0x01_0000_0000)),
      grid: ChangingValue(BarGrid(.common), next: BarGrid(Meter(beats: 7, unit: 8)!, from: Tick(192)), from: Tick(192)),
      fill: Tick(288))
    let octets: [UInt8] = [
      0, 0, 0, 0, 0, 0, 0, 1,  // term
      0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,  // identity
      0, 0, 0, 2,  // revision
      0, 0, 0, 0, 0, 0, 0, 0,  // first tick
      0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,  // end tick: unknown
      0x1D, 0xCD, 0x65, 0x00,  // 500 000 000 ns per quarter note, 120 BPM
      0, 0, 0, 0, 0, 0, 0, 0,  // origin tick
      1, 2, 3, 4, 5, 6, 7, 8,  // origin instant
      4, 12,  // clicks, ticks per click
      0xFD,  // quiet; mix, total activity, tempo, rhythm and bars change; there is a fill
      0x64, 0x64, 0xB2, 0x64,  // mix: keys, guitar, bass, drums. The bass is stopped (80) and has the level 50 (32)
      100,  // total activity
      0xFF, 0xFF, 0xFF, 0xFF, 0xA0,  // the steps of the rhythm count from tick -96
      1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0xFF,  // digest of the rhythm
      0, 0, 0, 0, 0, 4, 4,  // bars of 4/4 from tick 0
      2,  // the rule of the total: maximum
      0,  // no score
      0, 0, 0, 0, 96,  // tick 96
      0x64, 0x64, 0x64, 0x64,  // next mix
      0, 0, 0, 0, 48,  // tick 48
      127,  // next total activity
      2,  // changes of the tempo
      0, 0, 0, 1, 0x00,  // tick 256
      0x1D, 0xCD, 0x65, 0x00,  // next tempo
      1, 0, 2,  // 65 538 ticks later
      0x1D, 0xCD, 0x65, 0x00,  // next tempo
      1, 0, 0, 0, 0,  // tick 2^32, from which the steps of the next rhythm count
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // no digest
      0, 0, 0, 0, 192, 7, 8,  // bars of 7/8 from tick 192
      0, 0, 0, 1, 0x20,  // the fill begins at tick 288
    ]
    #expect(timelineMessage.systemExclusive == [0x7D, 0x54, 3, 1] + encoded(octets))
  }

  /// Octets in data bytes of seven bits. A byte with the top bits of seven octets precedes them; the top bit of the first octet is bit 6.
  private func encoded(_ octets: [UInt8]) -> [UInt8] {
    stride(from: 0, to: octets.count, by: 7).flatMap { start -> [UInt8] in
      let group = octets[start..<min(start + 7, octets.count)]
      let tops = group.enumerated().reduce(UInt8(0)) { $0 | ($1.element >> 7) << UInt8(6 - $1.offset) }
      return [tops] + group.map { $0 & 0x7F }
    }
  }

  /// A later release may add fields at the end.
  @Test(arguments: UInt64(1)...20) func fieldsOfALaterReleaseAreIgnored(seed: UInt64) {
    let message = timelineMessage(seed: seed)
    // Seven octets in eight bytes begin with a complete group, so the bytes before them are padded to whole groups.
    var bytes = message.systemExclusive
    let rest = (bytes.count - 4) % 8
    if rest > 0 { bytes += [UInt8](repeating: 0, count: 8 - rest) }
    #expect(TimelineMessage(systemExclusive: bytes + [0x7F, 1, 2, 3, 4, 5, 6, 7]) == message)
  }

  /// A message that ends before its last field is refused.
  @Test(arguments: UInt64(1)...20) func incompleteMessageIsRefused(seed: UInt64) {
    let bytes = timelineMessage(seed: seed).systemExclusive
    for count in 4..<bytes.count { #expect(TimelineMessage(systemExclusive: Array(bytes.prefix(count))) == nil) }
  }

  /// Damaged messages decode to a playable timeline message or to nil. Each damage replaces an octet, removes up to seven octets
  /// at the end, or inserts an octet in the middle.
  @Test(arguments: UInt64(1)...20) func damagedMessagesDecodeToPlayableOnes(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<2000 {
      var bytes = timelineMessage(seed: random.next() % 1000).systemExclusive
      for _ in 0...random.integer(in: 0...4) {
        switch random.next() % 3 {
        case 0: bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeLast(min(bytes.count - 1, Int(random.next() % 8)))
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next() & 0x7F), at: bytes.count / 2)
        }
      }
      guard let read = TimelineMessage(systemExclusive: bytes) else { continue }
      #expect(Tempo.lengths.contains(read.tempo.first.tempo.nanosecondsPerQuarter) && read.end >= read.start)
      // The computation of a deadline does not trap.
      _ = read.deadline(read.end)
    }
  }
}
