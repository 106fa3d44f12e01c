import MusicalTime
import Playback
import Rhythm

extension PlaybackSchedule {
  /// The musical position at `instant`, interpolated between the deadlines of two ticks and rounded down.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func position(at instant: Instant) -> MusicalPosition {
    let tick = tick(at: instant)
    let start = deadline(tick)
    let length = (deadline(tick + 1) - start).count
    guard length > 0 else { return MusicalPosition(tick) }
    return MusicalPosition(tick) + (instant - start).count &* MusicalPosition.perTick / length
  }
}
