import Audio
import Ensemble
import MusicalTime
import Rhythm
import Testing
import Transports

@testable import Engine

/// What sounds where the clock thread leaves one rhythm for another's. Steps are 120 ms long and handed over 50 ms ahead.
@Suite struct ClockLoopJoiningTests {
  private func instant(_ length: Nanoseconds) -> Instant { VirtualRhythm.origin + length }

  /// The hits that sound of a rhythm that begins at its origin, when another's that begins at `start` is told at `told`.
  private func sounding(joining start: Nanoseconds, told: Nanoseconds) throws -> [Instant] {
    let rings = ClockRings()
    let socket = try UDPSocket(port: 0)
    defer { socket.close() }
    var loop = try VirtualRhythm.loop(rings, on: socket)
    let text = """
      name: steady
      description: A kick on each step.
      meter: 4/4
      bars: 1
      tempo: 120
      kit: { kick: { note: 36 } }
      layers:
        - { name: all, activity: [0], steps: { kick: xxxx xxxx xxxx xxxx } }
      """
    rings.table.publish(StepTable(try PatchLoader.patch(from: text, file: "steady.yaml")))
    rings.schedule.publish(VirtualRhythm.schedule(sends: false))
    loop.play(from: .milliseconds(-100), to: told)
    // As the sound keeps them.
    var waiting = EventQueue()
    var sounded: [Instant] = []
    func sound(until end: Instant) {
      while let event = rings.sounds.pop() {
        if event.kind == .recall { waiting.removeAll(from: event.instant) } else { _ = waiting.insert(event) }
      }
      while let event = waiting.first, event.instant < end {
        waiting.popFirst()
        sounded.append(event.instant)
      }
    }
    sound(until: instant(told))
    rings.schedule.publish(VirtualRhythm.schedule(run: 2, sends: false, start: 96, at: instant(start)))
    loop.play(from: told, to: start + .milliseconds(240))
    sound(until: .distantFuture)
    return sounded
  }

  /// The old rhythm up to `last`, the new one from `start` on.
  private func steps(to last: Int64, then start: Nanoseconds) -> [Instant] {
    (0...last).map { instant(.milliseconds(120 * $0)) } + (0...2).map { instant(start + .milliseconds(120 * $0)) }
  }

  /// Its sixth step is due at 600 ms, and with the sound at 550.
  @Test(arguments: [.milliseconds(601), .milliseconds(610), .milliseconds(630)] as [Nanoseconds])
  func theOldOneSoundsUpToTheNewOne(start: Nanoseconds) throws {
    #expect(try sounding(joining: start, told: start - .milliseconds(50)) == steps(to: 5, then: start))
  }

  /// What would be heard in the midst of the new one, or as one hit with its first, is not heard.
  @Test(arguments: [.milliseconds(585), .milliseconds(600), .microseconds(600_050)] as [Nanoseconds])
  func whatWouldSoundWithTheNewOneIsTakenBack(start: Nanoseconds) throws {
    #expect(try sounding(joining: start, told: .milliseconds(560)) == steps(to: 4, then: start))
  }
}
