import Audio
import Ensemble
import MusicalTime
import Rhythm
import Testing
import Transports

@testable import Engine

/// Tests of the sound when a peer joins another rhythm, which replaces the rhythm that plays. A step lasts 120 ms. The clock loop passes
/// the hits of a step to the sound 50 ms ahead. A recall withdraws the waiting hits that are due at the instant of the recall or later.
@Suite struct ClockLoopJoiningTests {
  /// The instant that is `length` after the origin.
  private func instant(_ length: Nanoseconds) -> Instant { VirtualRhythm.origin + length }

  /// Plays a rhythm that begins at the origin, and replaces it by a rhythm that begins at `start`. The replacement is announced at
  /// `announced`. Both times are relative to the origin.
  ///
  /// - Returns: the instants of the hits that sound.
  private func sounding(joining start: Nanoseconds, announced: Nanoseconds) throws -> [Instant] {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    let text = """
      name: steady
      description: A kick on each step.
      tempo: 120
      play: { always: { kick: xxxx xxxx xxxx xxxx } }
      """
    rings.publish(StepTable(try PatchLoader.patch(from: text, file: "steady.yaml")))
    rings.schedule.publish(VirtualRhythm.schedule(sends: false))
    loop.play(from: .milliseconds(-100), to: announced)
    // The queue of the audio thread.
    var waiting = EventQueue()
    var sounded: [Instant] = []
    /// Does the work of the audio thread until `end`: executes recalls and removes the hits that are due.
    func sound(until end: Instant) {
      while let event = rings.sound.first.hits.pop() {
        if event.kind == .recall { waiting.removeAll(from: event.instant) } else { _ = waiting.insert(event) }
      }
      while let event = waiting.first, event.instant < end {
        waiting.popFirst()
        sounded.append(event.instant)
      }
    }
    sound(until: instant(announced))
    // Tick 96 begins the second bar. The first three steps of the new rhythm are due 0, 120 and 240 ms after its start.
    rings.schedule.publish(VirtualRhythm.schedule(run: 2, sends: false, start: 96, at: instant(start)))
    loop.play(from: announced, to: start + .milliseconds(240))
    sound(until: .distantFuture)
    return sounded
  }

  /// The instants of the steps of the old rhythm up to `last`, and of the first three steps of the new rhythm, which
  /// begins at `start`.
  private func steps(to last: Int64, then start: Nanoseconds) -> [Instant] {
    (0...last).map { instant(.milliseconds(120 * $0)) } + (0...2).map { instant(start + .milliseconds(120 * $0)) }
  }

  /// Step 5 of the old rhythm is due at 600 ms. The clock loop passes it to the sound at 550 ms, before the new rhythm is announced. The
  /// new rhythm begins after 600 ms, so step 5 sounds.
  @Test(arguments: [.milliseconds(601), .milliseconds(610), .milliseconds(630)] as [Nanoseconds])
  func replacedRhythmSoundsUpToTheNewRhythm(start: Nanoseconds) throws {
    #expect(try sounding(joining: start, announced: start - .milliseconds(50)) == steps(to: 5, then: start))
  }

  /// Step 5 of the old rhythm (600 ms) is recalled if it would sound after the first step of the new rhythm, or together with this
  /// step. Two steps that are less than 100 us apart sound together.
  @Test(arguments: [.milliseconds(585), .milliseconds(600), .microseconds(600_050)] as [Nanoseconds])
  func stepThatWouldSoundWithTheNewRhythmIsWithdrawn(start: Nanoseconds) throws {
    #expect(try sounding(joining: start, announced: .milliseconds(560)) == steps(to: 4, then: start))
  }
}
