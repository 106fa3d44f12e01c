import MusicalTime
import Realtime

/// The warnings about clocks and streams that name no particular peer. Each warning is given once.
struct ClockWarnings {
  private var hasWarnedOfWithheld = false
  /// Detects suspensions of the machine.
  var suspensions = ClockStepDetector(of: .boot)
  /// Detects steps of the system clock.
  private(set) var system = ClockStepDetector(of: .system)
  /// The instant of the next check of the system clock.
  private var nextCheck = Instant(nanoseconds: .min)

  /// Returns the warning that is due at `now`, if any. The system clock is checked once a second.
  ///
  /// - Parameter withheld: the number of packets that were withheld from devices that acknowledge nothing.
  mutating func warning(withheld: Int64, at now: Instant) -> String? {
    if now >= nextCheck {
      nextCheck = now + .seconds(1)
      if let step = system.check(), system.steps == 1 {
        return "system clock: stepped by \(step.seconds) s; the rhythm does not use this clock and continues"
      }
    }
    if !hasWarnedOfWithheld, withheld > 0 {
      hasWarnedOfWithheld = true
      return "clock and notes: all devices together that acknowledge nothing get at most 200 kB/s, and some of them "
        + "now get less than they need; check which devices are connected, or use --policy contacts"
    }
    return nil
  }
}
