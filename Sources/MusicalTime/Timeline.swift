/// A tempo and one known point, a tick and its instant: a bijection between musical position and time, to the
/// nanosecond.
///
/// Every deadline is computed from the origin, `origin.instant + (tick - origin.tick) * nanosecondsPerQuarter / 24`,
/// rounded down, with a product 128 bits wide. Nothing is accumulated, so tick 10^9 is as exact as tick 1. A change of
/// tempo is a new timeline whose origin lies on the old one. The idea is Ableton Link's `Timeline`; the unit is the
/// MIDI tick.
public struct Timeline: Hashable, Sendable, BitwiseCopyable {
  public let tempo: Tempo
  public let originTick: Tick
  public let originInstant: Instant

  /// The timeline on which `tick` is due at `instant` and quarter notes follow each other at `tempo`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(tempo: Tempo, tick: Tick, at instant: Instant) {
    self.tempo = tempo
    self.originTick = tick
    self.originInstant = instant
  }

  /// When `tick` is due. Saturates at the ends of Int64.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func deadline(_ tick: Tick) -> Instant {
    let (count, wraps) = tick.index.subtractingReportingOverflow(originTick.index)
    if wraps { return Instant(nanoseconds: tick > originTick ? .max : .min) }
    let product = count.multipliedFullWidth(by: tempo.nanosecondsPerQuarter)
    // Quotients that would not fit: more than 24 << 62 nanoseconds away.
    if product.high >= 12 { return Instant(nanoseconds: .max) }
    if product.high < -12 { return Instant(nanoseconds: .min) }
    var (length, rest) = Int64(24).dividingFullWidth(product)
    if rest < 0 { length -= 1 }
    let (sum, overflow) = originInstant.nanoseconds.addingReportingOverflow(length)
    return Instant(nanoseconds: overflow ? (length > 0 ? .max : .min) : sum)
  }

  /// The last tick due at or before `instant`: `deadline(tick(at: i)) <= i < deadline(tick(at: i) + 1)`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(at instant: Instant) -> Tick {
    let length = instant.nanoseconds.subtractingReportingOverflow(originInstant.nanoseconds)
    let distance = length.overflow ? (instant > originInstant ? Int64.max : Int64.min) : length.partialValue
    // deadline(n) is floor(n q / 24) <= d  exactly when  n q < 24 (d + 1), so n is the largest below 24 (d + 1) / q.
    let product = (distance == .max ? distance : distance + 1).multipliedFullWidth(by: 24)
    var (count, rest) = tempo.nanosecondsPerQuarter.dividingFullWidth(product)
    if rest <= 0 { count -= 1 }
    return originTick + count
  }

  /// The first tick due at or after `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func firstTick(notBefore instant: Instant) -> Tick {
    tick(at: Instant(nanoseconds: instant.nanoseconds &- 1)) + 1
  }

  /// How many ticks are due in `span`, its end excluded.
  public func ticks(in span: Range<Instant>) -> Int64 {
    firstTick(notBefore: span.upperBound) - firstTick(notBefore: span.lowerBound)
  }

  /// The timeline that goes on from this one's `tick` at another tempo.
  public func changing(to tempo: Tempo, at tick: Tick) -> Timeline {
    Timeline(tempo: tempo, tick: tick, at: deadline(tick))
  }
}
