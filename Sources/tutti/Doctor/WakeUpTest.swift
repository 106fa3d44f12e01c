import Measurement
import MusicalTime
import Realtime
import Synchronization

/// The live timing test: a thread with the priority of a peer's clock thread sleeps until equidistant instants and measures how late it
/// wakes up.
struct WakeUpTest {
  /// The priority of the clock thread, the highest of a peer.
  static let priority: Int32 = 70
  /// The time between two wake-ups. The audio thread of a peer wakes up for each block of 64 frames, which is every 1.3 ms.
  static let period = Nanoseconds.milliseconds(2)
  /// Timing will suffer if the 99th percentile of the lateness is greater.
  static let limit = Nanoseconds.milliseconds(1)
  /// The sound can have a gap if a single wake-up is later, because a sound card holds 5.3 ms of sound by default.
  static let gap = Nanoseconds.milliseconds(5)

  /// The policy that the kernel granted to the thread.
  let policy: SchedulingPolicy
  /// The actual minus the planned instant of each wake-up.
  let lateness: Distribution

  /// Runs the test for `duration`, with at least one wake-up. A wake-up that was delayed beyond further instants makes these late, too.
  ///
  /// - Parameter onProgress: called several times per second with the time since the start.
  static func run(for duration: Nanoseconds, onProgress: (Nanoseconds) -> Void) -> WakeUpTest? {
    let count = max(1, Int(duration.count / period.count))
    let result = Mutex<[Double]>([])
    let start = MonotonicClock.now
    let thread = RealtimeThread(name: "timing test", priority: priority) {
      // The array is filled before the first wake-up, so that no new page delays a later one.
      var lateness = [Double](repeating: 0, count: count)
      let first = MonotonicClock.now
      for index in 0..<count {
        let due = first + Nanoseconds(period.count * Int64(index + 1))
        MonotonicClock.sleep(until: due)
        lateness[index] = Double((MonotonicClock.now - due).count)
      }
      result.withLock { $0 = lateness }
    }
    while !thread.join(within: .milliseconds(200)) { onProgress(MonotonicClock.now - start) }
    return Distribution(result.withLock { $0 }).map {
      WakeUpTest(policy: thread.schedulingPolicy, lateness: $0)
    }
  }
}
