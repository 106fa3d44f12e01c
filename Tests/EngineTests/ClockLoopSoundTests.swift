import Audio
import BasicContainers
import CAllocationCount
import MIDI
import MusicalTime
import Realtime
import Sending
import Testing
import Transports

@testable import Engine
@testable import Ensemble

/// Tests that the clock loop passes events to the synthesizer in time, and allocates no memory.
@Suite struct ClockLoopSoundTests: ClockLoopSuite {
  @Test func stepsReachTheSynthesizerAheadOfTimeAndInOrder() throws {
    try withLoop { loop, rings, _, _ in
      rings.schedule.publish(VirtualRhythm.schedule(end: 96))
      // A kick sounds on each quarter note (480 ms), and a hit is passed to the sound 50 ms ahead. The total activity is 0, so the
      // swell reduces the normal velocity 88 to 80 %: 70.
      loop.play(from: .milliseconds(-51), to: .milliseconds(-50))
      var expected = SoundEvent(instant: VirtualRhythm.origin, note: 36, velocity: 70, group: 0)
      expected.submitted = VirtualRhythm.origin - .milliseconds(50)
      #expect(rings.sound.first.hits.pop() == expected)
      loop.play(from: .milliseconds(-50), to: .milliseconds(2000))
      for quarter in 1...3 {
        #expect(rings.sound.first.hits.pop()?.instant == VirtualRhythm.origin + .milliseconds(480 * Int64(quarter)))
      }
      #expect(rings.sound.first.hits.pop() == nil)
    }
  }

  /// The kicks are 480 ms apart. Each is passed to the sound once: the first kick 50 ms ahead, the others 200 ms ahead.
  @Test func hitsLeaveEarlierWhenTheDelayOfTheSoundHasIncreased() throws {
    try withLoop { loop, rings, _, _ in
      rings.schedule.publish(VirtualRhythm.schedule(end: 96))
      loop.play(from: .milliseconds(-51), to: .milliseconds(0))
      rings.commands.push(.soundLead(.milliseconds(200)))
      loop.play(from: .milliseconds(0), to: .milliseconds(2000))
      var events: [SoundEvent] = []
      while let event = rings.sound.first.hits.pop() { events.append(event) }
      #expect(events.map { ($0.instant - VirtualRhythm.origin).milliseconds } == [0, 480, 960, 1440])
      #expect(events.map { ($0.instant - $0.submitted).milliseconds } == [50, 200, 200, 200])
    }
  }

  @Test func tenThousandTicksAllocateNothing() throws {
    try withLoop { loop, rings, _, open in
      let receivers = [try open(.playOnArrival), try open(.timeStamped), try open(.timeStamped)]
      let end: Int64 = 10_000
      let change = TempoChange(tempo: try Tempo(bpm: 180), tick: Tick(5_000))
      rings.schedule.publish(VirtualRhythm.schedule(end: end, change: change))
      // 78 octets are an arbitrary length.
      let exclusive = try #require(SystemExclusiveData([UInt8](repeating: 0x7D, count: 78)))
      // The first work of a rhythm is Start, which leaves 95 ms ahead. This pass is not counted, because the Swift runtime allocates type
      // metadata at its first use.
      loop.advance(to: VirtualRhythm.origin - .milliseconds(95))
      allocation_count_begin()
      var next = VirtualRhythm.origin - .milliseconds(95)
      while next < .distantFuture {
        // `advance` also sends the System Exclusive message that the previous round has pushed.
        next = loop.advance(to: next)
        while rings.ticks.pop() != nil {}
        while rings.sound.first.hits.pop() != nil {}
        rings.commands.push(.stream(.exclusive(exclusive, to: nil, isJournalled: false)))
      }
      let allocations = allocation_count_end()
      #expect(allocations == 0)
      #expect(rings.counters.take()?.ticks == end)
      for receiver in receivers { #expect(try !receive(receiver).isEmpty) }
    }
  }
}
