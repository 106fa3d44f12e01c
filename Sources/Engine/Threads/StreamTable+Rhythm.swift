import Ensemble
import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Realtime

// The rhythm, to each stream as far as it has come.
extension StreamTable {
  /// Sends the ticks up to `tick` that each receiver of the kind has not had, until the clock shows `limit`.
  ///
  /// - Returns: whether everybody has them.
  @_noLocks @_noAllocation
  mutating func sendClock(
    _ tick: Tick, of schedule: PlaybackSchedule, stamped: Bool, until limit: Instant, now: Instant
  ) -> Bool {
    var index = 0
    var count = 0
    while index < streams.count {
      if streams[index].isStamped == stamped, streams[index].run == schedule.run {
        while streams[index].next <= tick {
          if count == Self.slice {
            if MonotonicClock.now >= limit { return false }
            count = 0
          }
          count += 1
          let next = streams[index].next
          send(.clock, at: schedule.deadline(next), on: index, now: now)
          streams[index].next = next + 1
        }
      }
      index += 1
    }
    return true
  }

  /// Lets those begin who can begin at `tick`: all at the first tick of the run, latecomers at a bar. A
  /// latecomer hears its place, addressed to it alone.
  @_noLocks @_noAllocation
  mutating func begin(at tick: Tick, of schedule: PlaybackSchedule, in bars: Bars, stamped: Bool, now: Instant) {
    guard bars.begins(at: tick, of: schedule) else { return }
    var index = 0
    while index < streams.count {
      if streams[index].isStamped == stamped, streams[index].takesClock, streams[index].run != schedule.run {
        let instant = schedule.deadline(tick)
        if tick.index == 0 {
          send(.start, at: instant, on: index, now: now)
        } else {
          send(.songPosition(bars.songPosition(of: tick.step)), at: instant, on: index, now: now)
          send(.continue, at: instant, on: index, now: now)
        }
        streams[index].run = schedule.run
        streams[index].next = tick
      }
      index += 1
    }
  }

  /// Whether a receiver of the kind takes part in `run`.
  @_noLocks @_noAllocation
  func takesPart(in run: UInt32, stamped: Bool) -> Bool {
    var index = 0
    while index < streams.count {
      if streams[index].run == run, streams[index].isStamped == stamped { return true }
      index += 1
    }
    return false
  }

  /// Sends Stop, which counts at `instant`, to all of the kind that take part in a run.
  @_noLocks @_noAllocation
  mutating func stop(at instant: Instant, stamped: Bool, now: Instant) {
    var index = 0
    while index < streams.count {
      if streams[index].isStamped == stamped, streams[index].run != 0 {
        send(.stop, at: instant, on: index, now: now)
        streams[index].run = 0
      }
      index += 1
    }
  }
}
