import MusicalTime

/// The delay of a recording against the reference, as a linear function of time. It converts the instants of the recording to
/// instants of the reference.
struct AlignmentLine {
  /// The instant at which ``delay`` applies, by the clock of the reference.
  var origin = Instant(nanoseconds: 0)
  /// The delay of the recording at ``origin``, in nanoseconds; positive if the recording is late.
  var delay: Int64 = 0
  /// The growth of the delay, in nanoseconds per nanosecond of the reference.
  var slope = 0.0

  /// Returns the instant of the reference that corresponds to `instant` of the recording.
  func aligned(_ instant: Instant) -> Instant {
    let shifted = instant - Nanoseconds(delay)
    guard slope != 0 else { return shifted }
    // The result t is the solution of: instant = t + delay + slope (t - origin).
    return shifted - Nanoseconds(Int64((Double((shifted - origin).count) * slope / (1 + slope)).rounded()))
  }
}
