import MusicalTime
import RTPMIDI
import Realtime

/// What in the traffic about clocks is worth a word to the player, once each.
struct ClockWarnings {
  /// So many are no accident of the network.
  private static let many = 8

  private var hasToldOfProbes = false
  private var hasToldOfInstants = false
  private(set) var system = ClockStepDetector()
  private var nextLook = Instant(nanoseconds: .min)

  /// What is to be said at `now`, if anything. The system's clock is looked at once a second.
  mutating func news(_ counters: DatagramCounters, rejectedInstants: UInt64, at now: Instant) -> String? {
    if now >= nextLook {
      nextLook = now + .seconds(1)
      if let step = system.check(), system.steps == 1 {
        return "the system's clock was set by \(step.seconds) s; the rhythm does not go by it, and goes on"
      }
    }
    if !hasToldOfProbes, counters.rejectedExtensionPackets >= Self.many {
      hasToldOfProbes = true
      return "clock answers that nobody asked for, or twice, come in; they are not used, and the rhythm goes on"
    }
    if !hasToldOfInstants, rejectedInstants + counters.implausibleClocks >= Self.many {
      hasToldOfInstants = true
      return "a peer sends stamps that cannot be, as of a clock that jumps or stands still; they are not used, "
        + "and the rhythm goes on"
    }
    return nil
  }
}
