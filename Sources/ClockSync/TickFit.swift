import MusicalTime

/// A ``TickFollower``'s line, old enough to say which tick an arrival is.
struct TickFit {
  let timeline: Timeline
  /// Between two ticks, nanoseconds.
  let interval: Double
  /// How much before its deadline a tick may come.
  let early: Nanoseconds
  /// How much after it at most, if nothing has held it up.
  let late: Nanoseconds

  /// Ticks due in (`tick`, `instant`]; not more than a few when `instant` lies before.
  func ticks(from tick: Tick, to instant: Instant) -> Int64 { timeline.tick(at: instant) - tick }

  /// Whether `instant` is a likely moment for `tick` to come.
  func fits(_ instant: Instant, as tick: Tick) -> Bool {
    let lateness = instant - timeline.deadline(tick)
    return lateness >= -early && lateness <= late
  }

  /// Whether the tick that came at `instant` was a third of an interval late or more.
  func isHeldUp(_ instant: Instant, as tick: Tick) -> Bool {
    (instant - timeline.deadline(tick)).count * 3 > Int64(interval)
  }

  /// Whether `tick` may have come at `instant` at all.
  func admits(_ instant: Instant, as tick: Tick) -> Bool {
    let lateness = instant - timeline.deadline(tick)
    return lateness >= -early && lateness.count * 2 < Int64(interval)
  }
}

extension TickFollower {
  /// The line once it is old enough to be contradicted by a tick.
  var standing: TickFit? {
    guard count >= Self.judging, let timeline else { return nil }
    let interval = Double(timeline.tempo.nanosecondsPerQuarter) / 24
    return TickFit(
      timeline: timeline, interval: interval, early: min(earliness, Nanoseconds(Int64(interval) / 4)),
      late: min(.microseconds(100) + Nanoseconds(4 * lateness.count), Nanoseconds(Int64(interval) / 4 * 3)))
  }
}
