import MusicalTime

/// A peer's own clock beside true time: so far ahead, and faster by a part of it. Exact integers, and monotone both ways.
struct VirtualClock: Sendable, BitwiseCopyable {
  /// What it shows at true time 0.
  let ahead: Nanoseconds
  /// Nanoseconds that it gains in a second of true time: a thousand are 1 ppm. Below 10^9.
  let gain: Int64

  /// What it shows at `instant` of true time.
  func own(at instant: Instant) -> Instant {
    let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return instant + Nanoseconds(ahead.count + seconds * gain + rest * gain / 1_000_000_000)
  }

  /// The first moment of true time, from its beginning on, at which it shows `instant` or more.
  func truth(at instant: Instant) -> Instant {
    let beginning = Instant(nanoseconds: 0)
    guard instant > own(at: beginning) else { return beginning }
    // What lies a century ahead never comes.
    guard instant < Instant(nanoseconds: 1 << 61) else { return .distantFuture }
    let shown = (instant - ahead).nanoseconds
    let (seconds, rest) = shown.quotientAndRemainder(dividingBy: 1_000_000_000 + gain)
    var truth = Instant(nanoseconds: seconds * 1_000_000_000 + rest * 1_000_000_000 / (1_000_000_000 + gain))
    while own(at: truth) < instant { truth = truth + Nanoseconds(1) }
    while own(at: truth - Nanoseconds(1)) >= instant { truth = truth - Nanoseconds(1) }
    return truth
  }
}
