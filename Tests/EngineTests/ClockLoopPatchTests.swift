import Audio
import MusicalTime
import PeerProtocol
import Playback
import Rhythm
import Testing
import Transports

@testable import Engine

/// Tests of the hits of a patch with swing, pushed voices and flams, and of the change of the patch while a rhythm plays. The
/// timeline of ``VirtualRhythm`` has steps of 120 ms. Steps are passed to the sound 50 ms ahead. The bars of the patches of
/// ``table(_:)`` have four steps.
@Suite struct ClockLoopPatchTests {
  private func table(_ fields: String) throws -> StepTable {
    let text = "name: test\ndescription: A test.\ntempo: 120\nmeter: 1/4\n" + fields
    return StepTable(try PatchLoader.patch(from: text, file: "test.yaml"))
  }

  /// Returns the events that the clock loop passes to the sound up to 960 ms after the origin. `later` is a second rhythm: its table, the
  /// time after the origin at which the change is announced, the tick of the change, and the time at which the table arrives.
  private func hits(
    of table: StepTable, then later: (table: StepTable, at: Nanoseconds, tick: Int64, arrival: Nanoseconds)? = nil
  ) throws -> [SoundEvent] {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    rings.publish(table)
    let bars = BarGrid(try #require(Meter(beats: 1, unit: 4)))
    var schedule = VirtualRhythm.schedule()
    schedule.grid = ChangingValue(bars)
    rings.schedule.publish(schedule)
    if let later {
      let digest = try #require(DocumentDigest(high: 1, low: 2))
      let line = RhythmLine(digest, from: Tick(later.tick))
      schedule.rhythm = ChangingValue(schedule.rhythm.value, next: line, from: line.origin)
      schedule.grid = ChangingValue(bars, next: BarGrid(bars.meter, from: line.origin), from: line.origin)
      let isInTime = later.arrival <= later.at
      loop.play(from: .milliseconds(-100), to: later.at)
      if isInTime { rings.publish(later.table, digest: digest) }
      rings.schedule.publish(schedule)
      loop.play(from: later.at, to: later.arrival)
      if !isInTime { rings.publish(later.table, digest: digest) }
    }
    loop.play(from: later.map { max($0.at, $0.arrival) } ?? .milliseconds(-100), to: .milliseconds(960))
    var events: [SoundEvent] = []
    while let event = rings.sound.first.hits.pop() { events.append(event) }
    return events
  }

  /// The times of the hits of a drum after the origin, in microseconds. The drums have the notes of General MIDI: kick 36, snare 38 and
  /// closed hi-hat 42.
  private func times(_ drum: UInt8, _ events: [SoundEvent]) -> [Int64] {
    events.compactMap { event in
      guard case .hit(drum, _, _) = event.kind else { return nil }
      return (event.instant - VirtualRhythm.origin).count / 1000
    }
  }

  /// With a swing of 75 %, every second step sounds half a step later.
  @Test func secondStepOfAPairSwings() throws {
    let events = try hits(of: table("swing: 75%\nplay: { always: { hat: xxxx } }"))
    #expect(times(42, events).prefix(5) == [0, 180_000, 240_000, 420_000, 480_000])
  }

  /// The snare drags by 8 ms, and the hat is pushed by 30 ms. The first hat is not pushed, because nothing sounds before the
  /// rhythm begins.
  @Test func draggedVoiceSoundsLaterAndPushedVoiceEarlier() throws {
    let events = try hits(
      of: table("feel: { snare: +8 ms, hat: -30 ms }\nplay: { always: { hat: x.x., snare: x... } }"))
    #expect(times(38, events).prefix(2) == [8_000, 488_000])
    #expect(times(42, events).prefix(3) == [0, 210_000, 450_000])
  }

  /// The grace note of a flam sounds 25 ms before the main note.
  @Test func flamHasTwoNotes() throws {
    let events = try hits(of: table("play: { always: { snare: ..f. } }"))
    #expect(times(38, events).prefix(2) == [215_000, 240_000])
  }

  /// The change is announced at 150 ms, in the second step of the first rhythm. The second rhythm begins at 480 ms (tick 24), when the bar
  /// ends, with its own first step.
  @Test func rhythmChangesAtTheTickOfTheSchedule() throws {
    let second = try table("play: { always: { snare: x.xx } }")
    let events = try hits(
      of: table("play: { always: { kick: xxxx } }"), then: (second, .milliseconds(150), 24, .milliseconds(150)))
    #expect(times(36, events) == [0, 120_000, 240_000, 360_000])
    #expect(times(38, events).prefix(3) == [480_000, 720_000, 840_000])
  }

  /// The second rhythm begins in the middle of its own bar of four steps: at step 2 of the first one.
  @Test func stepsCountFromTheOrigin() throws {
    let second = try table("play: { always: { snare: x... } }")
    let events = try hits(
      of: table("play: { always: { kick: xxxx } }"), then: (second, .milliseconds(100), 12, .milliseconds(100)))
    #expect(times(36, events) == [0, 120_000])
    #expect(times(38, events).prefix(2) == [240_000, 720_000])
  }

  /// The second rhythm arrives at 500 ms, after the beginning of its bar at 240 ms (tick 12). The peer is silent until the next bar, which
  /// begins at 720 ms.
  @Test func lateRhythmBeginsAtABarLine() throws {
    let second = try table("play: { always: { snare: xxxx } }")
    let events = try hits(
      of: table("play: { always: { kick: xxxx } }"), then: (second, .milliseconds(100), 12, .milliseconds(500)))
    #expect(times(36, events) == [0, 120_000])
    #expect(times(38, events).prefix(2) == [720_000, 840_000])
  }
}

extension ClockLoopPatchTests {
  /// The hat is pushed by 50 ms. The total activity changes on the beat at 480 ms. The change is announced at 440 ms, when the hat of
  /// this beat has already sounded (430 ms). The hat is not played again.
  @Test func pushedHitThatHasSoundedIsNotRepeated() throws {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    rings.commands.push(.soundLead(.milliseconds(100)))
    let text =
      "name: a\ndescription: b\ntempo: 120\nfeel: { hat: -50 ms }\nplay: { always: { hat: x... x... x... x... } }"
    rings.publish(StepTable(try PatchLoader.patch(from: text, file: "a.yaml")))
    rings.schedule.publish(VirtualRhythm.schedule())
    loop.play(from: .milliseconds(-150), to: .milliseconds(440))
    var changed = VirtualRhythm.schedule()
    changed.total = ChangingValue(0, next: 100, from: Tick(24))
    rings.schedule.publish(changed)
    loop.play(from: .milliseconds(440), to: .milliseconds(600))
    var hats: [Int64] = []
    while let event = rings.sound.first.hits.pop() {
      if case .hit = event.kind { hats.append((event.instant - VirtualRhythm.origin).count / 1_000_000) }
    }
    #expect(hats == [0, 430])
  }
}
