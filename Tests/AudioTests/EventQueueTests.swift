import Audio
import MusicalTime
import Testing
import _TestSupport

/// Tests of the queue of waiting sound events.
@Suite struct EventQueueTests {
  @Test(arguments: UInt64(1)...50) func eventsArePoppedInOrderOfInstants(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var queue = EventQueue()
    var expected: [SoundEvent] = []
    for _ in 0..<3_000 {
      if random.integer(in: 0...2) > 0 {
        // A small range of instants, so that many are equal. Note and velocity distinguish the events.
        let instant = Instant(nanoseconds: random.integer(in: -20...20))
        let (note, velocity) = (UInt8(random.integer(in: 0...255)), UInt8(random.integer(in: 0...255)))
        let event = SoundEvent(instant: instant, note: note, velocity: velocity, group: 0)
        let fits = queue.insert(event)
        #expect(fits == (expected.count < EventQueue.capacity), "seed \(seed)")
        if fits { expected.insert(event, at: expected.firstIndex { $0.instant > instant } ?? expected.count) }
      } else {
        let first = queue.first
        let taken = queue.popFirst()
        #expect(first == expected.first && taken == first, "seed \(seed)")
        if !expected.isEmpty { expected.removeFirst() }
      }
      let count = queue.count
      #expect(count == expected.count, "seed \(seed)")
    }
  }

  @Test func fullQueueRejectsEvents() {
    var queue = EventQueue()
    for index in 0..<EventQueue.capacity {
      let instant = Instant(nanoseconds: Int64(EventQueue.capacity - index))
      let fits = queue.insert(SoundEvent(instant: instant, note: 36, velocity: 1, group: 0))
      #expect(fits)
    }
    let fits = queue.insert(SoundEvent(instant: Instant(nanoseconds: 0), note: 36, velocity: 1, group: 0))
    let first = queue.first
    #expect(!fits && first?.instant == Instant(nanoseconds: 1))
  }

  @Test(arguments: UInt64(1)...20) func removeAllRemovesEventsFromTheInstantOn(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var queue = EventQueue()
    var expected: [Int64] = []
    for _ in 0..<200 {
      let at = random.integer(in: 0...100)
      _ = queue.insert(SoundEvent(instant: Instant(nanoseconds: at), note: 36, velocity: 1, group: 0))
      expected.append(at)
      if random.integer(in: 0...9) == 0 {
        let from = random.integer(in: 0...120)
        queue.removeAll(from: Instant(nanoseconds: from))
        expected.removeAll { $0 >= from }
      }
    }
    var left: [Int64] = []
    while let event = queue.popFirst() { left.append(event.instant.nanoseconds) }
    #expect(left == expected.sorted(), "seed \(seed)")
  }

  /// A recall compares its instant with the instants of the steps, not with the instants at which the hits sound. In this test, the recall
  /// removes the hits from instant 100 on. Hit 1 remains: it sounds after instant 100, but its step is before this instant. Hit 2 is
  /// removed: it is pushed and sounds before instant 100, but its step is at this instant. Hit 3 remains: it and its step are before
  /// instant 100. The numbers are the notes of the hits.
  @Test func recallRemovesAllHitsOfAStep() {
    func hit(_ note: UInt8, at instant: Int64, step: Int64) -> SoundEvent {
      SoundEvent(
        instant: Instant(nanoseconds: instant), note: note, velocity: 1, group: 0, step: Instant(nanoseconds: step))
    }
    var queue = EventQueue()
    _ = queue.insert(hit(1, at: 120, step: 50))
    _ = queue.insert(hit(2, at: 95, step: 100))
    _ = queue.insert(hit(3, at: 40, step: 50))
    queue.removeAll(from: Instant(nanoseconds: 100))
    var notes: [UInt8] = []
    while let event = queue.popFirst() { if case .hit(let note, _, _) = event.kind { notes.append(note) } }
    #expect(notes == [3, 1])
  }
}
