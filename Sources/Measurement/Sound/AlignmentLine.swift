import MusicalTime

/// A line that moves the instants of a recording to those of the reference: a delay that grows with time.
struct AlignmentLine {
  /// The instant at which ``delay`` applies, by the reference.
  var origin = Instant(nanoseconds: 0)
  /// The delay of the recording at ``origin``, nanoseconds.
  var delay: Int64 = 0
  /// The growth of the delay, nanoseconds per nanosecond of the reference.
  var slope = 0.0

  /// Returns the instant of the reference that corresponds to `instant` of the recording.
  func aligned(_ instant: Instant) -> Instant {
    let shifted = instant - Nanoseconds(delay)
    guard slope != 0 else { return shifted }
    return shifted - Nanoseconds(Int64((Double((shifted - origin).count) * slope / (1 + slope)).rounded()))
  }
}
