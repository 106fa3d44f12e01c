import ClockSync
import MusicalTime
import Playback
import Testing

/// `PlaybackSchedule.tick(near:)`, which finds the tick to which an inexactly known instant belongs.
@Suite struct AlignmentTests {
  private static let origin = Instant(nanoseconds: 1_000_000_000)

  private func schedule(run: UInt32) -> PlaybackSchedule {
    PlaybackSchedule(
      run: run, sends: false, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Self.origin)))
  }

  /// An instant at most 1 ms before or after the deadline of a tick belongs to the tick. Another instant belongs to no tick.
  /// Without a rhythm (run 0), no instant belongs to a tick.
  @Test(arguments: [-1_100_000, -1_000_000, -90_000, 0, 300, 1_000_000, 1_100_000] as [Int64])
  func instantNearATickBelongsToIt(error: Int64) {
    let schedule = schedule(run: 1)
    for tick in [Tick(-5), Tick(0), Tick(7), Tick(1_000_001)] {
      let instant = schedule.deadline(tick) + Nanoseconds(error)
      #expect(schedule.tick(near: instant) == (abs(error) <= 1_000_000 ? tick : nil))
      #expect(self.schedule(run: 0).tick(near: instant) == nil)
    }
  }
}
