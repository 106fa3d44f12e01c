import MusicalTime
import Testing
import _TestSupport

@testable import Audio

/// Tests of the events of scores in the renderer.
@Suite struct RendererScoreTests {
  private let grid = FrameGrid.standard
  private static let organ: UInt8 = 16

  private func note(
    _ key: UInt8 = 60, part: UInt8 = 0, program: UInt8 = organ, at frame: Int64, until end: Int64
  ) -> SoundEvent {
    SoundEvent(
      instant: grid.instant(of: frame), until: grid.instant(of: end), key: key, velocity: 100, scorePart: part,
      program: program, step: grid.instant(of: frame))
  }

  /// Renders `events` as they are added, one list per period of 4096 frames.
  private func render(_ periods: [[SoundEvent]]) throws -> Sound {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    var sound = Sound()
    for (index, events) in periods.enumerated() {
      for event in events { renderer.add(event) }
      sound += renderer.render(from: Int64(index) * 4_096, 4_096)
    }
    #expect(renderer.counters.dropped == 0)
    return sound
  }

  @Test func noteSoundsFromItsInstantToItsEnd() throws {
    var lanes = try DrumLanes(.timGM6mb)
    _ = lanes.play(60, velocity: 100, scorePart: 0, program: Self.organ, at: 500, until: 3_000)
    let sound = try render([[note(at: 500, until: 3_000)], [], []])
    #expect(sound.firstDifference(from: lanes.render(3 * 4_096).limited) == nil)
  }

  /// With the drum kit, the key is a drum. A closed hi-hat (42) ends an open one (46).
  @Test func drumsOfScoresSoundOnTheDrumKit() throws {
    let kit = SoundEvent.drumKit
    var lanes = try DrumLanes(.timGM6mb)
    _ = lanes.strike(46, velocity: 100, group: 1, at: 0)
    _ = lanes.strike(42, velocity: 100, group: 1, at: 2_000)
    let events = [note(46, program: kit, at: 0, until: 10), note(42, program: kit, at: 2_000, until: 2_010)]
    let sound = try render([events, []])
    #expect(sound.peak > 0.01 && sound.firstDifference(from: lanes.render(8_192).limited) == nil)
  }

  /// A mute ends the notes of its part and removes its waiting notes. The notes of another part go on.
  @Test func muteEndsAndRemovesTheNotesOfItsPart() throws {
    let others = [note(48, part: 1, at: 0, until: 20_000), note(50, part: 1, at: 9_000, until: 20_000)]
    let muted = [note(60, at: 0, until: 20_000), note(62, at: 9_000, until: 20_000)]
    let mute = SoundEvent.mute(scorePart: 0, at: grid.instant(of: 4_096))
    let ended = note(60, at: 0, until: 4_096)
    let sound = try render([[others[0], muted[0], others[1], muted[1]], [mute], [], [], []])
    let expected = try render([[others[0], ended, others[1]], [], [], [], []])
    #expect(sound.firstDifference(from: expected) == nil)
    // The muted note would sound if there were no mute.
    let audible = try render([[others[0], muted[0], others[1], muted[1]], [], [], [], []])
    #expect(audible.firstDifference(from: expected) != nil)
  }

  @Test func releaseEndsAllNotesOfTheScore() throws {
    let notes = [note(48, part: 1, at: 0, until: 90_000), note(60, part: 2, at: 100, until: 90_000)]
    let release = SoundEvent.releaseScore(at: grid.instant(of: 6_000))
    let ended = [note(48, part: 1, at: 0, until: 6_000), note(60, part: 2, at: 100, until: 6_000)]
    #expect(try render([notes + [release], [], [], []]).firstDifference(from: render([ended, [], [], []])) == nil)
  }

  /// The notes of two large steps wait for their instants. Further notes are dropped and counted.
  @Test func notesOfTwoLargeStepsFitIntoTheQueue() {
    var renderer = Renderer(grid: grid, module: nil)
    for n in 0..<1_030 { renderer.add(note(at: 48_000 + Int64(n), until: 60_000)) }
    _ = renderer.render(from: 0, 64)
    let counters = renderer.counters
    #expect(counters.dropped == 6 && counters.hits == 0)
  }

  /// The events of the rhythm take effect earlier by the latency after the sound card, with their ends.
  @Test func latencyAppliesToTheEnd() throws {
    let latency = Nanoseconds.milliseconds(10)
    let events = SoundEvents()
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    var delayed = note(at: 500, until: 3_000)
    (delayed.instant, delayed.end) = (delayed.instant + latency, delayed.end + latency)
    events.hits.push(delayed)
    renderer.drain(events, latency: latency)
    let sound = renderer.render(from: 0, 4_096)
    #expect(sound.firstDifference(from: try render([[note(at: 500, until: 3_000)]])) == nil)
  }

  /// A change of the latency moves a note that waits. With a negative latency, the note is later than its instant. The report contains the
  /// instants without the latency. At 48 kHz, 20 ms are 960 frames.
  @Test func changeOfTheLatencyMovesWaitingNotes() throws {
    let events = SoundEvents(reportsHits: true)
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb), sounded: events.sounded)
    events.hits.push(note(at: 2_000, until: 4_000))
    renderer.drain(events, latency: .milliseconds(10))
    renderer.drain(events, latency: .milliseconds(-20))
    var sound = renderer.render(from: 0, 4_096)
    sound += renderer.render(from: 4_096, 4_096)
    #expect(sound.firstDifference(from: try render([[note(at: 2_960, until: 4_960)], []])) == nil)
    let hit = try #require(events.sounded?.pop())
    let instant = grid.instant(of: 2_000)
    #expect(hit.due == instant && hit.step == instant && hit.firstFrame == instant)
  }
}
