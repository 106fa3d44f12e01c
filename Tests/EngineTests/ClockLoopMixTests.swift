import Audio
import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Rhythm
import Testing

@testable import Engine

/// Tests of the mix (the levels of the parts of a rhythm) and of the count-in in the events that the clock loop passes to the sound.
@Suite struct ClockLoopMixTests: ClockLoopSuite {
  /// Removes and returns the events that the clock loop has passed to the first audio thread.
  private func events(_ rings: ClockRings) -> [SoundEvent] {
    var events: [SoundEvent] = []
    while let event = rings.sound.first.hits.pop() { events.append(event) }
    return events
  }

  /// The hits among `events`. `at` is in milliseconds after the origin.
  private func hits(_ events: [SoundEvent]) -> [(note: UInt8, velocity: UInt8, at: Double)] {
    events.compactMap { event in
      guard case .hit(let note, let velocity, _) = event.kind else { return nil }
      return (note, velocity, (event.instant - VirtualRhythm.origin).milliseconds)
    }
  }

  /// At the total activity 0, the swell reduces the normal velocity 88 to 80 %, so the kicks have the velocity 70. From tick 48 on, in the
  /// second half of the bar, the level is 50 %.
  @Test func levelAppliesFromItsTick() throws {
    try withLoop { loop, rings, _, _ in
      var schedule = VirtualRhythm.schedule(end: 96)
      var softer = Mix()
      softer.setLevel(50, ofPart: 0)
      schedule.mix = ChangingValue(Mix(), next: softer, from: Tick(48))
      rings.schedule.publish(schedule)
      loop.play(from: .milliseconds(-60), to: .milliseconds(2000))
      #expect(hits(events(rings)).map(\.velocity) == [70, 70, 35, 35])
    }
  }

  /// The drums are stopped, or the rhythm is quiet, before tick 72. Only the kick of this tick, at 1440 ms, sounds.
  @Test func stoppedPartAndQuietRhythmAreSilent() throws {
    for isQuiet in [false, true] {
      try withLoop { loop, rings, _, _ in
        var schedule = VirtualRhythm.schedule(end: 96)
        var silent = Mix()
        silent.isQuiet = isQuiet
        // Part 0 is the drums. They are stopped only if the rhythm is not quiet, so each round tests one of the two reasons for silence.
        silent.setPlays(isQuiet, part: 0)
        schedule.mix = ChangingValue(silent, next: Mix(), from: Tick(72))
        rings.schedule.publish(schedule)
        loop.play(from: .milliseconds(-60), to: .milliseconds(2000))
        #expect(hits(events(rings)).map(\.at) == [1440])
      }
    }
  }

  /// Hits are passed to the sound one second ahead. The change of the mix at tick 48 (960 ms) arrives at 500 ms, when the steps up to
  /// 1500 ms have been passed. The clock loop recalls the steps from tick 48 on, and passes them again.
  @Test func lateChangeOfTheMixRecallsSteps() throws {
    try withLoop { loop, rings, _, _ in
      rings.commands.push(.soundLead(.seconds(1)))
      var schedule = VirtualRhythm.schedule(end: 96)
      rings.schedule.publish(schedule)
      loop.play(from: .milliseconds(-1000), to: .milliseconds(500))
      _ = events(rings)
      var soft = Mix()
      soft.setLevel(10, ofPart: 0)
      schedule.mix = ChangingValue(Mix(), next: soft, from: Tick(48))
      rings.schedule.publish(schedule)
      loop.play(from: .milliseconds(501), to: .milliseconds(502))
      let events = events(rings)
      // Tick 48 is due at 960 ms. The recall begins half a tick (10 ms) earlier, because the due times of a follower can move.
      let recall = try #require(events.first)
      #expect(recall.kind == .recall && (recall.instant - VirtualRhythm.origin).milliseconds > 900)
      // The velocity is 10 % of 70.
      #expect(hits(events).first?.velocity == 7 && hits(events).first?.at == 960)
    }
  }

  /// A count-in of one bar begins 96 ticks (1920 ms) before the rhythm. The rhythm ends at tick 24, so only the kick of tick 0 sounds.
  @Test func clicksOfTheCountInReachTheSound() throws {
    try withLoop { loop, rings, _, open in
      let receiver = try open(.playOnArrival)
      var schedule = VirtualRhythm.schedule(end: 24)
      schedule.countIn = try #require(CountIn(bars: 1, of: .common))
      schedule.countInStart = Tick(-96)
      rings.schedule.publish(schedule)
      loop.play(from: .milliseconds(-2000), to: .milliseconds(-100))
      let clicks = hits(events(rings))
      // Note 76 is the high wood block of General MIDI, and note 77 the low one.
      #expect(clicks.map(\.note) == [76, 77, 77, 77] && clicks.map(\.at) == [-1920, -1440, -960, -480])
      // Other devices get nothing before the rhythm.
      #expect(try receive(receiver).isEmpty)
      loop.play(from: .milliseconds(-100), to: .milliseconds(600))
      #expect(hits(events(rings)).map(\.note) == [36])
      #expect(try receive(receiver).first?.message == .start)
    }
  }

  /// Publishes a style: a bass note that begins at tick 0 and lasts for a bar.
  private func style(_ rings: ClockRings) throws {
    let text = """
      name: two
      description: A kick on each quarter, and a long bass note.
      tempo: 120
      chords: Dm7
      play: { always: { kick: x... x... x... x... } }
      parts: { bass: { sound: bass, range: E1..E3, always: { root: x--- ---- ---- ---- } } }
      """
    rings.publish(StepTable(try PatchLoader.patch(from: text, file: "two.yaml")))
  }

  /// The releases of pitched parts: the part, and the time in milliseconds after the origin.
  private func releases(_ events: [SoundEvent]) -> [String] {
    events.compactMap { event in
      guard case .release(let part) = event.kind else { return nil }
      return "\(part) at \((event.instant - VirtualRhythm.origin).milliseconds)"
    }
  }

  /// A held note ends when its part stops, or when the rhythm becomes quiet, here at tick 12 (240 ms).
  @Test func heldNotesEndWhenTheirPartFallsSilent() throws {
    for isQuiet in [true, false] {
      try withLoop { loop, rings, _, _ in
        try style(rings)
        var schedule = VirtualRhythm.schedule(end: 960)
        var silent = Mix()
        silent.isQuiet = isQuiet
        // Part 1 is the bass. It is stopped only if the rhythm is not quiet.
        silent.setPlays(isQuiet, part: 1)
        schedule.mix = ChangingValue(Mix(), next: silent, from: Tick(12))
        rings.schedule.publish(schedule)
        loop.play(from: .milliseconds(-60), to: .milliseconds(1000))
        #expect(releases(events(rings)) == ["1 at 240.0"], "quiet: \(isQuiet)")
      }
    }
  }

  /// If a run continues the previous run, the held notes of the previous run continue. Otherwise they end.
  @Test func heldNotesContinueInARunThatContinues() throws {
    for continues in [true, false] {
      try withLoop { loop, rings, _, _ in
        try style(rings)
        rings.schedule.publish(VirtualRhythm.schedule())
        loop.play(from: .milliseconds(-60), to: .milliseconds(200))
        var next = VirtualRhythm.schedule(run: 2)
        if continues { next.firstRun = 1 }
        rings.schedule.publish(next)
        loop.play(from: .milliseconds(201), to: .milliseconds(700))
        #expect(releases(events(rings)).isEmpty == continues)
      }
    }
  }

  /// The bass note has the length of a bar, 1920 ms. The rhythm ends in the middle of the bar, at tick 48, with a release of all pitched
  /// parts, which ends the note.
  @Test func notesOfPartsHaveAnEnd() throws {
    try withLoop { loop, rings, _, _ in
      try style(rings)
      rings.schedule.publish(VirtualRhythm.schedule(end: 48))
      loop.play(from: .milliseconds(-60), to: .milliseconds(2000))
      let events = events(rings)
      let notes = events.filter { if case .note = $0.kind { true } else { false } }
      #expect(notes.count == 1)
      let note = try #require(notes.first)
      guard case .note(let key, _, let part, let program) = note.kind else { return }
      // The root of Dm7, on the bass (part 1). The program is Electric Bass (finger).
      #expect(key % 12 == 2 && part == 1 && program == 33)
      #expect((note.end - note.instant).milliseconds == 1920)
      // In a release, 0 stands for all pitched parts.
      #expect(events.last?.kind == .release(part: 0))
    }
  }
}
