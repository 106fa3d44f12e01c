public import MusicalTime

/// Estimates the offset and the skew of another peer's clock from packets whose send and receive instants are known.
///
/// Two estimators process the same packets. ``KalmanClock`` weights all packets by what it has learned about the density of the
/// delays; it is accurate where the edge of the density is soft. ``MinimumDelayFilter`` uses the packets without queueing delay; it is
/// accurate where the delay has a hard lower bound. Each estimator reports a variance, and the results are weighted by these
/// variances. The more accurate estimator thus prevails on each kind of network, and the estimate does not jump when the
/// network changes. The result is kept within two bounds: outside these bounds, some packet would have arrived before it
/// left.
///
/// Implausible packets are counted and dropped: packets that took longer than ``maximumDelay``, and packets that
/// arrived before they left according to the current estimate. After eight such packets in a row in one direction, the
/// newest eight packets of each direction are examined. If they are consistent with each other, the remote clock was set
/// or the remote peer was restarted, and the estimate is reset. If they are inconsistent, as with a clock that stands
/// still or shows random values, the estimate continues unchanged.
///
/// The amount of memory is fixed. Processing a packet allocates no memory, except for the first packet after ten
/// minutes without packets (``maximumSilence``).
///
/// Real-time: not safe.
public struct RemoteClock: Sendable {
  /// The largest plausible delay of a packet, nanoseconds. Packets with a longer delay are dropped.
  static let maximumDelay = 10e9
  /// The number of consecutive implausible packets in one direction after which they are checked for a reset.
  static let contradictionsBeforeReset = 8
  /// The largest change of the offset that the estimate allows for while no packet arrives, nanoseconds per second. Two
  /// ordinary crystals diverge by only about 20 000.
  static let maximumDivergence = 100_000.0
  /// The tolerated error of a time stamp, apart from the error that its resolution causes, nanoseconds.
  static let stampError = 20_000.0
  /// The largest skew between two crystals, even two bad ones in the cold, nanoseconds per second.
  static let maximumCrystalSkew = 200_000.0
  /// The largest time between the local instant of a packet and the call of ``add(_:at:)``, seconds. An older packet is
  /// dropped.
  static let maximumAge = 10.0
  /// The longest time without packets after which the estimate is still used, seconds.
  static let maximumSilence = 600.0
  /// The least time between two fits of the minimum-delay filter, seconds.
  static let minimumFitInterval = 0.05
  /// The least time between two fits, as a fraction of the time for which the clock has been observed. At most
  /// ``MinimumDelayFilter/span`` of this time counts. The more packets are known, the less information a new packet adds.
  static let fitIntervalShare = 1.0 / 60
  /// A fit waits for this number of packets.
  static let packetsPerFit = 8
  /// The time since the last fit after which a fit no longer waits for ``packetsPerFit``, seconds.
  static let maximumFitInterval = 1.0
  /// The number of packets since the start or the last reset below which every packet causes a fit.
  static let initialPackets = 16

  /// The reference of all differences and moments. A difference is the remote instant minus the local instant of a packet
  /// (``ClockTransit/difference``), minus the difference in `origin`. A moment is the local instant in seconds since the
  /// instant in `origin`. A Double then represents both with sufficient precision.
  private var origin: (instant: Instant, difference: Nanoseconds)?
  private var kalman = KalmanClock()
  /// Whether the estimate has begun: there was a packet in each direction.
  private var hasBegun = false
  private var minimumFilter = MinimumDelayFilter()
  /// The moment of the last fit of ``minimumFilter``.
  private var fitTime = -Double.infinity
  private var packetsSinceFit = 0
  /// The number of packets since the start or the last reset, including the two packets with which the estimate began.
  private var packetsSinceStart = 0
  /// The possible offsets at ``fitTime``, in nanoseconds: the interval between the bounds from both directions.
  private var bounds: ClosedRange<Double>?
  /// The newest packets of each direction.
  private var out = PacketHistory()
  private var back = PacketHistory()
  /// The moment of the newest plausible packet.
  private var newestTime = -Double.infinity
  /// The moment at which the estimate began, or at which it was last reset.
  private var startTime = Double.infinity
  /// The skew at ``fitTime``, nanoseconds per second.
  private var skew = 0.0
  /// The number of plausible packets since the first estimate.
  public private(set) var count = 0
  /// The number of implausible packets.
  public private(set) var rejected = 0
  /// The number of times that the estimate was reset, because the remote clock was set, or its rate or the route changed.
  public private(set) var resets = 0

  public init() {}

  /// Whether the estimate can be used for playback: eight packets, or the packets of half a second, have been
  /// processed.
  public var isSettled: Bool { count >= 8 || newestTime - startTime >= 0.5 }

  /// Whether the clock has been observed for more than ten seconds and its skew is larger than that of two crystals. In
  /// this case one of the two systems is slewing its clock (`adjtime` slews by 500 ppm).
  public var isSlewed: Bool { newestTime - startTime > 10 && abs(skew) > Self.maximumCrystalSkew }

  /// Processes one packet.
  ///
  /// - Parameters:
  ///   - transit: the send and receive instants of the packet.
  ///   - now: the current local time.
  ///
  /// Real-time: not safe.
  public mutating func add(_ transit: ClockTransit, at now: Instant) {
    guard Self.isPlausible(transit, at: now) else {
      rejected += 1
      return
    }
    if let origin, newestTime.isFinite, (transit.local - origin.instant).seconds > newestTime + Self.maximumSilence {
      reset()
    }
    if origin == nil { origin = (transit.local, transit.difference) }
    guard let origin else { return }
    let moment = (transit.local - origin.instant).seconds
    let difference = Double((transit.difference - origin.difference).count)
    let isOut = transit.direction == .out
    // The difference of two stamps, each rounded to the resolution, is inexact by up to twice the resolution.
    let margin = 2 * Double(transit.resolution.count)
    if isOut { out.add(difference, at: moment) } else { back.add(difference, at: moment) }
    guard hasBegun else { return start() }
    if contradicts(difference, isOut: isOut, at: moment, margin: margin) {
      rejected += 1
      if isOut { out.contradictions += 1 } else { back.contradictions += 1 }
      if max(out.contradictions, back.contradictions) >= Self.contradictionsBeforeReset { resetIfConsistent() }
      return
    }
    if isOut { out.contradictions = 0 } else { back.contradictions = 0 }
    count += 1
    newestTime = max(newestTime, moment)
    kalman.add(difference, isOut: isOut, at: moment)
    minimumFilter.add(difference, isOut: isOut, at: moment)
    if kalman.hasPersistentOutliers { resetIfConsistent() }
    packetsSinceFit += 1
    packetsSinceStart += 1
    if bounds == nil || packetsSinceStart < Self.initialPackets || isFitDue { fit() }
  }

  /// Whether enough packets and time have passed since the last fit to fit the minimum-delay filter again.
  private var isFitDue: Bool {
    let passed = newestTime - fitTime
    // After `maximumFitInterval`, two packets are sufficient: a clock exchange adds two packets at a time.
    guard passed < Self.maximumFitInterval else { return packetsSinceFit >= 2 }
    return packetsSinceFit >= Self.packetsPerFit
      && passed
        >= max(Self.minimumFitInterval, min(newestTime - startTime, MinimumDelayFilter.span) * Self.fitIntervalShare)
  }

  /// Fits the minimum-delay filter again. While one direction has no recent packets, the last fit remains valid.
  private mutating func fit() {
    guard minimumFilter.fit(at: newestTime) else { return }
    (fitTime, packetsSinceFit) = (newestTime, 0)
    let weight = Self.weight(of: kalman.variance(at: newestTime), beside: minimumFilter.variance(at: newestTime))
    skew = kalman.skew * weight + minimumFilter.skew * (1 - weight)
    let (low, high) = minimumFilter.bounds(skew: skew)
    // If the bounds have crossed, the rate of the clock has changed, or the clock was set. The old bounds remain until the
    // next packets show whether the estimate must be reset.
    if low <= high || bounds == nil { bounds = min(low, high)...max(low, high) }
  }

  /// The best estimate at the local time `now`; nil until both directions have a packet within
  /// ``MinimumDelayFilter/span``.
  ///
  /// Real-time: not safe.
  public func estimate(at now: Instant) -> ClockEstimate? {
    guard let origin, let bounds else { return nil }
    let mean = weightedMean(at: (now - origin.instant).seconds, bounds: bounds)
    let (weight, offset) = (mean.weight, mean.offset)
    let variance = weight * weight * mean.kalmanVariance + (1 - weight) * (1 - weight) * mean.filterVariance
    return ClockEstimate(
      // A skew of 1000 ns per second is one part per million.
      offset: origin.difference + Nanoseconds(Self.rounded(offset)), skew: mean.skew / 1000,
      uncertainty: Nanoseconds(Self.rounded(max(offset - mean.low, mean.high - offset))),
      deviation: Nanoseconds(Self.rounded(variance.squareRoot())))
  }

  // The function is mutating, because a non-mutating function gets a copy of this large value.
  /// The offset of the best estimate at the local time `now` (``estimate(at:)``), without the errors of the estimate.
  ///
  /// Real-time: not safe.
  public mutating func offset(at now: Instant) -> Nanoseconds? {
    guard let origin, let bounds else { return nil }
    let mean = weightedMean(at: (now - origin.instant).seconds, bounds: bounds)
    return origin.difference + Nanoseconds(Self.rounded(mean.offset))
  }

  /// The weighted mean of both estimators.
  private struct WeightedMean {
    /// The mean of the offsets, kept within the bounds, nanoseconds.
    var offset: Double
    /// The mean of the skews, nanoseconds per second.
    var skew: Double
    /// The weight of the Kalman estimate.
    var weight: Double
    var (kalmanVariance, filterVariance): (Double, Double)
    /// The bounds of the offset, nanoseconds.
    var (low, high): (Double, Double)
  }

  /// The weighted mean of both estimators at `moment`. The caller that uses only a part of the result computes only this part, because the
  /// function is inlined.
  @inline(__always) private func weightedMean(at moment: Double, bounds: ClosedRange<Double>) -> WeightedMean {
    let (kalmanVariance, filterVariance) = (kalman.variance(at: moment), minimumFilter.variance(at: moment))
    let weight = Self.weight(of: kalmanVariance, beside: filterVariance)
    let offset = kalman.offset(at: moment) * weight + minimumFilter.offset(at: moment) * (1 - weight)
    let skew = kalman.skew * weight + minimumFilter.skew * (1 - weight)
    // The bounds move with the skew, and widen by the possible error of the skew.
    let divergence = max(0, moment - fitTime) * Self.maximumDivergence
    let (low, high) = (
      bounds.lowerBound + (moment - fitTime) * skew - divergence,
      bounds.upperBound + (moment - fitTime) * skew + divergence
    )
    return WeightedMean(
      offset: min(max(offset, low), high), skew: skew, weight: weight, kalmanVariance: kalmanVariance,
      filterVariance: filterVariance, low: low, high: high)
  }

  /// The weight of the Kalman estimate beside the minimum-delay estimate, 0...1. The weights are proportional to the
  /// inverse of the squared variances. An estimate with half the variance of the other one gets 80 % of the weight.
  private static func weight(of kalmanVariance: Double, beside filterVariance: Double) -> Double {
    let ratio = kalmanVariance / filterVariance
    return 1 / (1 + ratio * ratio)
  }

  /// The nearest integer; the one farther from zero if two are equally near. Values that would not fit into Int64 are clamped.
  // The function `rounded()` is a call of the C library, unless the compiler may use SSE 4.1. The difference of a number and its integer
  // part is exact.
  private static func rounded(_ value: Double) -> Int64 {
    let clamped = min(max(value, -4e18), 4e18)
    let whole = Int64(clamped)
    let fraction = clamped - Double(whole)
    return whole + (fraction >= 0.5 ? 1 : fraction <= -0.5 ? -1 : 0)
  }

  /// Whether the packet's instants can be used. A packet is rejected if its local instant is in the future or older than
  /// ``maximumAge``, or if its resolution is coarser than one second. Instants beyond 2^61 ns (73 years) are also
  /// rejected, so that no difference overflows.
  private static func isPlausible(_ transit: ClockTransit, at now: Instant) -> Bool {
    let limit = Int64(1) << 61
    let range = -limit...limit
    guard range.contains(transit.sent.nanoseconds), range.contains(transit.received.nanoseconds),
      range.contains(now.nanoseconds)
    else { return false }
    return (0...maximumAge).contains((now - transit.local).seconds)
      && (0...1_000_000_000).contains(transit.resolution.count)
  }

  /// Discards everything except the counts of rejected packets and resets.
  private mutating func reset() {
    var new = RemoteClock()
    (new.rejected, new.resets) = (rejected, resets)
    self = new
  }

  /// Starts the estimate if there is a packet in each direction and the sum of both delays is plausible.
  private mutating func start() {
    guard let first = out.newest, let second = back.newest else { return }
    let moment = max(first.moment, second.moment)
    // The outbound minus the returning difference is the sum of both delays.
    guard (0...Self.maximumDelay).contains(first.difference - second.difference) else {
      rejected += 1
      return
    }
    kalman.begin(out: first.difference, back: second.difference, at: moment)
    hasBegun = true
    restartFilter(out: first, back: second)
    (startTime, newestTime, packetsSinceStart) = (moment, moment, 2)
    fit()
    count = 2
  }

  /// Restarts the minimum-delay filter with one packet in each direction.
  private mutating func restartFilter(out: PacketHistory.Packet, back: PacketHistory.Packet) {
    minimumFilter.removeAll()
    minimumFilter.add(out.difference, isOut: true, at: out.moment)
    minimumFilter.add(back.difference, isOut: false, at: back.moment)
  }

  /// Whether, according to the current bounds of the offset, the packet arrived before it left or took longer than
  /// ``maximumDelay``. For an outbound packet, the delay is the difference minus the offset. For a returning packet, it
  /// is the offset minus the difference. `margin` is the error of the difference, nanoseconds.
  private func contradicts(_ difference: Double, isOut: Bool, at moment: Double, margin: Double) -> Bool {
    guard let bounds else { return false }
    // If the bounds are older than the shortest fit interval, the clocks may have diverged since.
    let tolerance =
      Self.stampError + margin + max(0, abs(moment - fitTime) - Self.minimumFitInterval) * Self.maximumDivergence
    return isOut
      ? difference < bounds.lowerBound - tolerance || difference > bounds.upperBound + tolerance + Self.maximumDelay
      : difference > bounds.upperBound + tolerance || difference < bounds.lowerBound - tolerance - Self.maximumDelay
  }

  /// Resets the estimate if the newest packets are consistent with each other.
  private mutating func resetIfConsistent() {
    (out.contradictions, back.contradictions) = (0, 0)
    guard let (first, second) = PacketHistory.consistentExtremes(of: out, and: back) else { return }
    resets += 1
    let moment = max(first.moment, second.moment)
    kalman.restart(out: first.difference, back: second.difference, at: moment)
    restartFilter(out: first, back: second)
    (startTime, newestTime, packetsSinceStart, bounds) = (moment, moment, 2, nil)
    fit()
  }
}
