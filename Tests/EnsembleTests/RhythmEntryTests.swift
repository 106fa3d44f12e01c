import MusicalTime
import Playback
import Testing

/// The bars of a score can begin between two steps. Here, 6/8 bars begin at tick 333 and then every 72 ticks. Steps begin every 6 ticks.
@Suite struct RhythmEntryTests {
  private static let schedule = PlaybackSchedule(
    run: 1, sends: true, start: Tick(0), end: Tick(.max),
    tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))),
    grid: ChangingValue(BarGrid(Meter(beats: 6, unit: 8)!, from: Tick(333))))
  private static let steps = stride(from: Int64(336), to: 600, by: 6).map { Tick($0) }

  /// A rhythm that arrives at tick 360 sounds from the step that contains the bar line at tick 405.
  @Test func rhythmSoundsFromTheStepOfTheBarLine() {
    var entry = RhythmEntry()
    let first = Self.steps.first { entry.sounds(at: $0, of: Self.schedule, hasRhythm: $0 >= Tick(360)) }
    #expect(first == Tick(402))
  }

  /// Song Position counts steps, so a receiver begins at the first step of a bar.
  @Test func receiversBeginAtTheFirstStepOfABar() {
    let beginnings = (336..<600).map { Tick($0) }.filter { Self.schedule.begins(at: $0) }
    #expect(beginnings == [Tick(336), Tick(408), Tick(480), Tick(552)])
  }
}
