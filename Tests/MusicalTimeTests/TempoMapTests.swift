import MusicalTime
import Testing
import _TestSupport

/// Tests of ``TempoMap``. The reference is a list of timelines.
@Suite struct TempoMapTests {
  private let origin = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 1_000_000_000))

  private func tempo(_ bpm: Double) -> Tempo { try! Tempo(bpm: bpm) }

  /// Every tick of a map with eight changes is due where the timeline after the last change before it says, and the tick at this instant is
  /// the same.
  @Test(arguments: UInt64(1)...20) func deadlinesFollowTheTimelines(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var (map, timelines) = (TempoMap(origin), [origin])
    var tick = Tick(0)
    for _ in 0..<8 {
      tick = tick + random.integer(in: 1...50)
      let tempo = Tempo(nanosecondsPerQuarter: random.integer(in: Tempo.lengths))!
      let isAppended = map.append(TempoChange(tempo: tempo, tick: tick))
      #expect(isAppended)
      timelines.append(timelines.last!.changing(to: tempo, at: tick))
    }
    for n in -10...450 {
      let tick = Tick(Int64(n))
      let timeline = timelines.last { $0.originTick <= tick } ?? origin
      #expect(map.deadline(tick) == timeline.deadline(tick) && map.tick(at: map.deadline(tick)) == tick)
      #expect(map.tick(at: map.deadline(tick) - Nanoseconds(1)) == tick + -1)
    }
    // After the changes up to a tick are settled, the remaining deadlines are the same.
    var settled = map
    settled.settle(at: Tick(100))
    #expect(settled.changeCount < 8)
    for n in 100...450 { #expect(settled.deadline(Tick(Int64(n))) == map.deadline(Tick(Int64(n)))) }
  }

  @Test func impossibleChangesAreRefused() {
    var map = TempoMap(origin)
    func appends(_ tick: Int64) -> Bool { map.append(TempoChange(tempo: tempo(100), tick: Tick(tick))) }
    let results = (1...9).map { appends($0) }
    #expect(results == [Bool](repeating: true, count: 8) + [false], "there is no room for a ninth change")
    map.removeChanges(from: Tick(3))
    #expect(map.changes.map(\.tick) == [Tick(1), Tick(2)])
    let distances = [2, 1, 2 + TempoMap.maximumDistance + 1, 2 + TempoMap.maximumDistance].map { appends($0) }
    #expect(distances == [false, false, false, true])
  }

  @Test func firstDifferenceIsFound() {
    func map(_ changes: [(Int64, Double)]) -> TempoMap {
      TempoMap(origin, changes: changes.map { TempoChange(tempo: tempo($0.1), tick: Tick($0.0)) })
    }
    let a = map([(10, 100), (20, 110), (30, 120)])
    for (b, first, expected) in [
      (a, 0, Int64.max), (map([(10, 100), (20, 111), (30, 120)]), 0, 20), (map([(10, 100), (30, 120)]), 0, 20),
      (map([(10, 100), (30, 120)]), 21, .max), (map([]), 0, 10), (map([]), 30, 30), (map([]), 31, .max),
      (map([(10, 100), (20, 110), (30, 120), (40, 1000 / 8)]), 0, 40),
    ] as [(TempoMap, Int64, Int64)] {
      #expect(a.change(differingFrom: b, notBefore: Tick(first)) == Tick(expected))
      #expect(b.change(differingFrom: a, notBefore: Tick(first)) == Tick(expected))
    }
    #expect(a == map([(10, 100), (20, 110), (30, 120)]) && a != map([]))
  }
}
