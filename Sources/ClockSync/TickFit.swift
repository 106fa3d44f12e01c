import MusicalTime

/// The fit of a ``TickFollower``: its timeline, with the tolerances that decide whether an arrival is a given tick. The
/// deadline of a tick is the instant at which the tick is due on the timeline.
struct TickFit {
  let timeline: Timeline
  /// The interval between two ticks, nanoseconds.
  let interval: Double
  /// The largest time by which a tick can arrive before its deadline.
  let earlyTolerance: Nanoseconds
  /// The largest time after its deadline at which the arrival of a tick still agrees with the fit.
  let lateTolerance: Nanoseconds

  /// The number of ticks after `tick` that are due by `instant`. Zero or negative if the tick after `tick` is not yet due.
  func ticks(from tick: Tick, to instant: Instant) -> Int64 { timeline.tick(at: instant) - tick }

  /// Whether `instant` is a likely arrival of `tick`: within both tolerances.
  func fits(_ instant: Instant, as tick: Tick) -> Bool {
    let lateness = instant - timeline.deadline(tick)
    return lateness >= -earlyTolerance && lateness <= lateTolerance
  }

  /// Whether `tick`, which arrived at `instant`, was late by more than a third of an interval.
  func isDelayed(_ instant: Instant, as tick: Tick) -> Bool {
    (instant - timeline.deadline(tick)).count * 3 > Int64(interval)
  }

  /// Whether `instant` is a possible arrival of `tick`: late by less than half an interval, or early within the tolerance.
  func isPlausible(_ instant: Instant, as tick: Tick) -> Bool {
    let lateness = instant - timeline.deadline(tick)
    return lateness >= -earlyTolerance && lateness.count * 2 < Int64(interval)
  }
}

extension TickFollower {
  /// The fit; nil while the window has too few ticks (``judgingCount``), or while there is no ``timeline``.
  ///
  /// Lateness is tolerated up to 100 us plus four times the mean lateness, but not more than three quarters of an
  /// interval. Earliness is tolerated up to ``TickFollower/earlyTolerance``, but not more than a quarter of an interval.
  var fit: TickFit? {
    guard count >= Self.judgingCount, let timeline else { return nil }
    let interval = Double(timeline.tempo.nanosecondsPerQuarter) / 24
    return TickFit(
      timeline: timeline, interval: interval, earlyTolerance: min(earlyTolerance, Nanoseconds(Int64(interval) / 4)),
      lateTolerance: min(.microseconds(100) + Nanoseconds(4 * lateness.count), Nanoseconds(Int64(interval) / 4 * 3)))
  }
}
