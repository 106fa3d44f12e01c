import MusicalTime
import RTPMIDI
import Realtime

/// The warnings about clocks and streams that name no particular peer. Each warning is given once.
struct ClockWarnings {
  /// The number of rejected probes or time stamps that causes a warning. The network alone can cause fewer rejections.
  private static let threshold = 8

  private var hasWarnedOfReplies = false
  private var hasWarnedOfStamps = false
  private var hasWarnedOfWithheld = false
  /// Detects suspensions of the machine.
  var suspensions = ClockStepDetector(of: .boot)
  /// Detects steps of the system clock.
  private(set) var system = ClockStepDetector(of: .system)
  /// The instant of the next check of the system clock.
  private var nextCheck = Instant(nanoseconds: .min)

  /// Returns the warning that is due at `now`, if any. The system clock is checked once a second.
  ///
  /// - Parameters:
  ///   - counters: the endpoint's counters of received and rejected datagrams.
  ///   - rejectedStamps: the number of implausible time stamps that Tutti peers have sent.
  ///   - withheld: the number of packets that were withheld from devices that acknowledge nothing.
  mutating func warning(
    _ counters: DatagramCounters, rejectedStamps: UInt64, withheld: Int64, at now: Instant
  ) -> String? {
    if now >= nextCheck {
      nextCheck = now + .seconds(1)
      if let step = system.check(), system.steps == 1 {
        return "system clock: stepped by \(step.seconds) s; the rhythm does not use this clock and continues"
      }
    }
    // A packet of Tutti's extension of RTP-MIDI is rejected, for example, if it is an unsolicited or duplicate reply to a clock probe.
    if !hasWarnedOfReplies, counters.rejectedExtensionPackets >= Self.threshold {
      hasWarnedOfReplies = true
      return "clock probes: unsolicited or duplicate replies to clock measurements arrive and are ignored; "
        + "check the network for devices that repeat packets"
    }
    if !hasWarnedOfStamps, rejectedStamps + counters.implausibleClocks >= Self.threshold {
      hasWarnedOfStamps = true
      return "clock probes: a peer sends implausible time stamps, as from a clock that jumps or stands still, "
        + "and they are ignored; check the system clocks of the other machines"
    }
    if !hasWarnedOfWithheld, withheld > 0 {
      hasWarnedOfWithheld = true
      return "clock and notes: all devices together that acknowledge nothing get at most 200 kB/s, and some of them "
        + "now get less than they need; check which devices are connected, or use --policy contacts"
    }
    return nil
  }
}
