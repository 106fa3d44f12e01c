/// A tempo plus an origin (a tick and its instant): a bijection between musical position and time, exact to the
/// nanosecond.
///
/// The instant at which a tick is due is its deadline:
///
///     origin.instant + (tick - origin.tick) * nanosecondsPerQuarter / 24, rounded down
///
/// The product has 128 bits. Every deadline is computed from the origin. Therefore no error accumulates, and tick 10^9
/// is as exact as tick 1. A tempo change creates a new timeline whose origin lies on the old one. The idea comes from
/// Ableton Link's `Timeline`; the unit here is the MIDI tick.
public struct Timeline: Hashable, Sendable, BitwiseCopyable {
  /// The tempo.
  public let tempo: Tempo
  /// The tick of the origin.
  public let originTick: Tick
  /// The instant at which ``originTick`` is due.
  public let originInstant: Instant

  /// Creates the timeline with the given `tempo` on which `tick` is due at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(tempo: Tempo, tick: Tick, at instant: Instant) {
    self.tempo = tempo
    self.originTick = tick
    self.originInstant = instant
  }

  /// Returns the instant at which `tick` is due. Saturates at the ends of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func deadline(_ tick: Tick) -> Instant {
    let (count, overflows) = tick.index.subtractingReportingOverflow(originTick.index)
    if overflows { return Instant(nanoseconds: tick > originTick ? .max : .min) }
    let product = count.multipliedFullWidth(by: tempo.nanosecondsPerQuarter)
    // The product is divided by 24 below. The quotient fits into Int64 only if the product is in -24 * 2^63..<24 *
    // 2^63. `product.high` counts units of 2^64, so these limits are -12 and 12.
    if product.high >= 12 { return Instant(nanoseconds: .max) }
    if product.high < -12 { return Instant(nanoseconds: .min) }
    // The division rounds towards 0. For a negative product, the result is to be rounded down.
    var (length, rest) = Int64(24).dividingFullWidth(product)
    if rest < 0 { length -= 1 }
    let (sum, overflow) = originInstant.nanoseconds.addingReportingOverflow(length)
    return Instant(nanoseconds: overflow ? (length > 0 ? .max : .min) : sum)
  }

  /// Returns the last tick due at or before `instant`. For each instant i, `deadline(tick(at: i)) <= i` and
  /// `i < deadline(tick(at: i) + 1)`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(at instant: Instant) -> Tick {
    let length = instant.nanoseconds.subtractingReportingOverflow(originInstant.nanoseconds)
    // A distance outside the range of Int64 is replaced by the nearest end of the range.
    let distance = length.overflow ? (instant > originInstant ? Int64.max : Int64.min) : length.partialValue
    // Let d be the distance of the instant from the origin, and q the nanoseconds per quarter note. Tick n, counted
    // from the origin, is due at or before the instant if floor(n * q / 24) <= d, which is equivalent to n * q < 24 *
    // (d + 1). The result is therefore the largest n that is less than 24 * (d + 1) / q. At the largest distance, d is
    // used instead of d + 1, which would overflow.
    let product = (distance == .max ? distance : distance + 1).multipliedFullWidth(by: 24)
    var (count, rest) = tempo.nanosecondsPerQuarter.dividingFullWidth(product)
    // If the rest is 0, the quotient equals 24 * (d + 1) / q, but must be less. If the rest is negative, the division
    // has rounded towards 0, that is, up. In both cases, the result is one less than the quotient.
    if rest <= 0 { count -= 1 }
    return originTick + count
  }

  /// Returns the first tick due at or after `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func firstTick(notBefore instant: Instant) -> Tick {
    tick(at: Instant(nanoseconds: instant.nanoseconds &- 1)) + 1
  }

  /// Returns the number of ticks due in `span`. A tick that is due at the end of the span is not included.
  ///
  /// Real-time: not safe.
  public func ticks(in span: Range<Instant>) -> Int64 {
    firstTick(notBefore: span.upperBound) - firstTick(notBefore: span.lowerBound)
  }

  /// Returns the timeline that continues this one from `tick` on at another tempo. `tick` is due at the same instant on
  /// both timelines.
  ///
  /// Real-time: not safe.
  public func changing(to tempo: Tempo, at tick: Tick) -> Timeline {
    Timeline(tempo: tempo, tick: tick, at: deadline(tick))
  }
}
