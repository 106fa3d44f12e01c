import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// A random timeline message. It has an end if `seed` is odd, a tempo change if `seed` is a multiple of three, and a change of the mix
/// if `seed` is a multiple of five.
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
  return TimelineMessage(
    claim: Claim(term: random.next() >> 1 | 1, identity: Identity(random.next())),
    revision: UInt32(truncatingIfNeeded: random.next()), start: start,
    end: seed % 2 == 0 ? Tick(.max) : start + random.integer(in: 0...1_000_000),
    timeline: Timeline(
      tempo: tempo(), tick: Tick(random.integer(in: -1_000_000...1_000_000)),
      at: Instant(nanoseconds: random.integer(in: -(1 << 62)...(1 << 62)))),
    change: seed % 3 == 0 ? .init(tempo: tempo(), tick: start + random.integer(in: 0...1000)) : nil,
    countIn: CountIn(clicks: Int(random.integer(in: 0...16)), ticksPerClick: 6 * Int(random.integer(in: 1...16)))!,
    mix: seed % 5 == 0 ? ChangingValue(mix(), next: mix(), from: mixTick) : ChangingValue(mix()))
}

/// Tests of the encoding of ``TimelineMessage``, in which the master announces its timeline.
@Suite struct TimelineMessageTests {
  @Test(arguments: UInt64(1)...200) func encodedMessageDecodesToItself(seed: UInt64) {
    let timelineMessage = timelineMessage(seed: seed)
    let bytes = timelineMessage.systemExclusive
    #expect(bytes.count == 104 && bytes.allSatisfy { $0 < 0x80 })
    #expect(TimelineMessage(systemExclusive: bytes) == timelineMessage)
  }

  @Test func layoutIsAsDocumented() {
    var mix = Mix()
    mix.setLevel(50, ofPart: 1)
    mix.setPlays(false, part: 1)
    mix.isQuiet = true
    let timelineMessage = TimelineMessage(
      claim: Claim(term: 1, identity: Identity(0x8899_AABB_CCDD_EEFF)), revision: 2, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0x0102_0304_0506_0708)),
      countIn: CountIn(clicks: 4, ticksPerClick: 12)!, mix: ChangingValue(mix, next: Mix(), from: Tick(96)))
    // After the first row, each row encodes seven octets. Its first byte contains the top bits of these octets, the top bit of
    // the first octet in bit 6. The comments give the octets after decoding, with the numbers of the octets in each field. A
    // quarter is the length of a quarter note in nanoseconds, 1DCD6500 for 120 BPM. A mix has one octet per part, the last part first:
    // the level, plus 80 if the part is stopped. The flags 05 are: the mix is quiet (01), and there is a next mix (04).
    let expected: [UInt8] = [
      0x7D, 0x54, 0x01, 0x01,  // non-commercial use; 'T'; version 1; kind 1, timeline message
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // term, 1 to 7: zeros
      0x3F, 0x01, 0x08, 0x19, 0x2A, 0x3B, 0x4C, 0x5D,  // term, 8: 01; identity, 1 to 6: 88 99 AA BB CC DD
      0x60, 0x6E, 0x7F, 0x00, 0x00, 0x00, 0x02, 0x00,  // identity, 7, 8: EE FF; revision 00 00 00 02; first tick, 1: 00
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // first tick, 2 to 8: zeros
      0x3F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F,  // end tick, 1 to 7: 7F FF FF FF FF FF FF
      0x50, 0x7F, 0x1D, 0x4D, 0x65, 0x00, 0x00, 0x00,  // end tick, 8: FF; quarter 1D CD 65 00; origin tick, 1, 2: zeros
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,  // origin tick, 3 to 8: zeros; instant, 1: 01
      0x00, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,  // instant, 2 to 8: 02 03 04 05 06 07 08
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // quarter and tick of the change: zeros
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x0C,  // tick of the change, 4 to 8: zeros; clicks 04; ticks/click 0C
      0x10, 0x64, 0x64, 0x32, 0x64, 0x64, 0x64, 0x64,  // mix 64 64 B2 64; next mix, 1 to 3: 64 64 64
      0x00, 0x64, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00,  // next mix, 4: 64; flags 05; tick of its change, 1 to 5: zeros
      0x00, 0x00, 0x00, 0x60,  // tick of its change, 6 to 8: 00 00 60
    ]
    #expect(timelineMessage.systemExclusive == expected)
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
      #expect(Tempo.lengths.contains(read.timeline.tempo.nanosecondsPerQuarter) && read.end >= read.start)
      // The computation of a deadline does not trap.
      _ = read.deadline(read.end)
    }
  }
}
