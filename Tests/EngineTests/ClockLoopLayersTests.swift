import Audio
import Ensemble
import MusicalTime
import Playback
import Rhythm
import Testing
import Transports

@testable import Engine

/// Tests of the layers whose hits the clock loop passes to the sound. The timeline of ``VirtualRhythm`` has steps of 120 ms,
/// independent of the tempo of the patch. The clock loop passes the hits of a step to the sound 50 ms ahead. A recall withdraws the
/// waiting hits that are due at the instant of the recall or later.
@Suite struct ClockLoopLayersTests {
  /// Returns the events that the clock loop passes to the sound up to 960 ms after the origin: the events of the steps 0...8.
  /// `later` is a second schedule, and the time after the origin at which it is published.
  private func soundEvents(
    of schedule: PlaybackSchedule, then later: (schedule: PlaybackSchedule, at: Nanoseconds)? = nil
  )
    throws -> [SoundEvent]
  {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    let text = """
      name: two
      description: A kick on each step, and from 64 on a snare on each.
      tempo: 120
      play:
        always: { kick: xxxx xxxx xxxx xxxx }
        from 64: { snare: xxxx xxxx xxxx xxxx }
      """
    rings.publish(StepTable(try PatchLoader.patch(from: text, file: "two.yaml")))
    rings.schedule.publish(schedule)
    loop.play(from: .milliseconds(-100), to: later?.at ?? .milliseconds(960))
    if let later {
      rings.schedule.publish(later.schedule)
      loop.play(from: later.at, to: .milliseconds(960))
    }
    var events: [SoundEvent] = []
    while let event = rings.sound.first.hits.pop() { events.append(event) }
    return events
  }

  /// The instant at which `step` is due.
  private func instant(_ step: Int64) -> Instant { VirtualRhythm.origin + .milliseconds(120 * step) }

  /// The instants of the snare hits (note 38). The kick has note 36.
  private func snares(_ events: [SoundEvent]) -> [Instant] { events.filter { $0.drum == 38 }.map(\.instant) }

  private func schedule(_ total: ChangingValue<UInt8>) -> PlaybackSchedule {
    var schedule = VirtualRhythm.schedule()
    schedule.total = total
    return schedule
  }

  /// The total activity rises from 10 to 80 at tick 24, which begins step 4. The snare sounds at a total activity of 64 or more.
  @Test func layersChangeAtTheirTick() throws {
    let events = try soundEvents(of: schedule(ChangingValue(10, next: 80, from: Tick(24))))
    #expect(snares(events) == (4...8).map(instant))
    #expect(events.filter { $0.drum == 36 }.map(\.instant) == (0...8).map(instant))
  }

  /// The change applies from step 4 on, which is due at 480 ms. The change is announced at 450 ms, when step 4 has already been passed
  /// to the sound.
  @Test func stepsPassedBeforeTheChangeWasAnnouncedAreWithdrawn() throws {
    let change = (schedule(ChangingValue(10, next: 80, from: Tick(24))), Nanoseconds.milliseconds(450))
    let events = try soundEvents(of: schedule(ChangingValue(10)), then: change)
    let recall = try #require(events.firstIndex { $0.kind == .recall })
    #expect(events.count { $0.kind == .recall } == 1)
    #expect(events[recall].instant < instant(4) && events[recall].instant > instant(3))
    #expect(snares(events) == (4...8).map(instant))
    // The kick of step 4 is passed once before the recall and once after it.
    #expect(events[recall...].filter { $0.drum == 36 }.map(\.instant) == (4...8).map(instant))
    #expect(events[..<recall].filter { $0.drum == 36 }.map(\.instant) == (0...4).map(instant))
  }

  /// The change applies from step 4 on, but is announced only at 580 ms. By then, step 4 (480 ms) has sounded, and step 5 (600 ms) has
  /// been passed to the sound. A change of the layers that is announced after its tick recalls nothing. The layers change with step 6.
  @Test func lateChangeAppliesFromTheFirstStepThatWasNotPassed() throws {
    let change = (schedule(ChangingValue(10, next: 80, from: Tick(24))), Nanoseconds.milliseconds(580))
    let events = try soundEvents(of: schedule(ChangingValue(10)), then: change)
    #expect(!events.contains { $0.kind == .recall })
    #expect(snares(events) == (6...8).map(instant))
    #expect(events.filter { $0.drum == 36 }.map(\.instant) == (0...8).map(instant))
  }
}

extension SoundEvent {
  /// The note of the drum; nil if the event is not a hit.
  fileprivate var drum: UInt8? { if case .hit(let note, _, _) = kind { note } else { nil } }
}
