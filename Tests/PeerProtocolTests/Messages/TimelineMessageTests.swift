import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

private func timelineMessage(seed: UInt64) -> TimelineMessage {
  var random = SplitMix(seed: seed)
  func tempo() -> Tempo { Tempo(nanosecondsPerQuarter: random.integer(in: Tempo.lengths))! }
  let start = Tick(random.integer(in: 0...1_000_000))
  return TimelineMessage(
    claim: Claim(term: UInt32(truncatingIfNeeded: random.next()), identity: Identity(random.next())),
    revision: UInt32(truncatingIfNeeded: random.next()), start: start,
    end: seed % 2 == 0 ? Tick(.max) : start + random.integer(in: 0...1_000_000),
    timeline: Timeline(
      tempo: tempo(), tick: Tick(random.integer(in: -1_000_000...1_000_000)),
      at: Instant(nanoseconds: random.integer(in: -(1 << 62)...(1 << 62)))),
    change: seed % 3 == 0 ? .init(tempo: tempo(), tick: start + random.integer(in: 0...1000)) : nil)
}

@Suite struct TimelineMessageTests {
  @Test(arguments: UInt64(1)...200) func encodedMessageDecodesToItself(seed: UInt64) {
    let timelineMessage = timelineMessage(seed: seed)
    let bytes = timelineMessage.systemExclusive
    #expect(bytes.count == 78 && bytes.allSatisfy { $0 < 0x80 })
    #expect(TimelineMessage(systemExclusive: bytes) == timelineMessage)
  }

  @Test func layoutIsAsDocumented() {
    let timelineMessage = TimelineMessage(
      claim: Claim(term: 1, identity: Identity(0x8899_AABB_CCDD_EEFF)), revision: 2, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0x0102_0304_0506_0708)))
    let expected: [UInt8] = [
      0x7D, 0x54, 0x01, 0x01,
      0x07, 0x00, 0x00, 0x00, 0x01, 0x08, 0x19, 0x2A,  // term; identity 88 99 AA
      0x7C, 0x3B, 0x4C, 0x5D, 0x6E, 0x7F, 0x00, 0x00,  // BB CC DD EE FF; revision 00 00
      0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,  // 00 02; start, five octets
      0x07, 0x00, 0x00, 0x00, 0x7F, 0x7F, 0x7F, 0x7F,  // start, three; end 7F FF FF FF
      0x7A, 0x7F, 0x7F, 0x7F, 0x7F, 0x1D, 0x4D, 0x65,  // FF FF FF FF; quarter 1D CD 65
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 00; origin tick, six octets
      0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05,  // two; origin instant 01 02 03 04 05
      0x00, 0x06, 0x07, 0x08, 0x00, 0x00, 0x00, 0x00,  // 06 07 08; change 00 00 00 00
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // tick of the change, seven octets
      0x00, 0x00,  // and the eighth
    ]
    #expect(timelineMessage.systemExclusive == expected)
  }

  /// Damaged messages decode to a playable timeline message or to nil.
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
      _ = read.deadline(read.end)
    }
  }
}
