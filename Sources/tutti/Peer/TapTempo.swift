import MusicalTime

/// Calculates the tempo that the player taps, from the mean interval of the last taps.
///
/// The first two taps give no tempo yet, because a single interval varies by several percent. After a pause of two seconds, a new
/// series begins.
struct TapTempo {
  /// The largest number of taps from which the tempo is calculated.
  private static let maximumTaps = 9
  /// The pause after which a new series of taps begins.
  private static let pause = Nanoseconds.seconds(2)
  private var taps: [Instant] = []

  /// Adds a tap. Returns the tempo, or nil if there are fewer than three taps or the tempo is out of range.
  mutating func tap(at now: Instant) -> Tempo? {
    if let last = taps.last, now - last > Self.pause { taps = [] }
    taps.append(now)
    if taps.count > Self.maximumTaps { taps.removeFirst() }
    guard taps.count >= 3 else { return nil }
    let interval = Double((now - taps[0]).count) / Double(taps.count - 1)
    guard interval > 0 else { return nil }
    // Rounded, because players think in whole beats per minute.
    return try? Tempo(bpm: (60e9 / interval).rounded())
  }
}
