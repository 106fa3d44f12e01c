public import MusicalTime

/// Estimates another peer's clock, its offset and its skew, from every packet of which both sides' instants are known.
///
/// Two ways of looking at the same packets, each the best where the other is lost. ``KalmanClock`` weighs them all: right
/// where delay varies to both sides alike. ``MinimumDelayFilter`` trusts those that met nobody on their way: right where delay has a
/// floor and a tail. Each says how well it knows, and they are weighed by that, so that neither kind of network has to be
/// recognised, and nothing jumps when one turns into the other. The result is kept within the band between the directions,
/// outside which some packet would have arrived before it left.
///
/// What cannot be is counted and not used: a packet that took longer than ``longestDelay``, one that arrived before it left
/// by all that was known. When those go on and agree among one another, the remote clock was set, or its peer started
/// anew, and what was known is dropped. When they do not agree, as with a clock that stands still or lies at random, the
/// estimate goes on as it was.
///
/// Fixed in size: learning from a packet takes no memory, but for the first after ten minutes of silence.
public struct RemoteClock: Sendable {
  /// No packet that took longer is of use.
  static let longestDelay = 10e9
  /// So many packets that cannot be, in a row in one direction, are looked at for what they have in common.
  static let contradictionsBelieved = 8
  /// Two free-running clocks part by at most this much, nanoseconds a second, of which nothing has been heard.
  static let loosest = 100_000.0
  /// Stamps err by this, nanoseconds.
  static let slack = 20_000.0
  /// Nanoseconds a second: two bad crystals in the cold.
  static let steepestCrystals = 200_000.0
  /// News older than this, or after so long a silence, is none, seconds.
  static let longestEcho = 10.0
  static let longestSilence = 600.0
  /// The least time between two looks at the floor, seconds.
  static let pace = 0.05
  /// And as a part of how long the clock has been known, of ``MinimumDelayFilter/span`` at most: the more is known, the less a packet
  /// adds.
  static let newPart = 1.0 / 60
  /// So many packets are waited for between two looks, but no longer than so many seconds.
  static let packetsPerFit = 8
  static let longestPause = 1.0
  /// The first packets are looked at one by one.
  static let firstPackets = 16

  /// All differences are of this one, all moments seconds from this instant: so they fit a Double exactly enough.
  private var origin: (instant: Instant, difference: Nanoseconds)?
  private var averaged: KalmanClock?
  private var floor = MinimumDelayFilter()
  private var fitted = -Double.infinity
  private var unfitted = 0
  /// Packets since it began, or since a reset.
  private var sinceBegan = 0
  /// Between what packets out and packets back allowed when the line was fitted.
  private var band: ClosedRange<Double>?
  /// The newest of each direction.
  private var out = Recent()
  private var back = Recent()
  private var newest = -Double.infinity
  /// When the first two came, or the first since a reset.
  private var began = Double.infinity
  /// As it was when the line was fitted, nanoseconds a second.
  private var skew = 0.0
  /// Packets that told of both clocks and could be, since it began.
  public private(set) var count = 0
  /// Packets that could not be.
  public private(set) var rejected = 0
  /// How often the remote clock was found to have been set, or to go otherwise than before.
  public private(set) var resets = 0

  public init() {}

  /// Whether enough is known to begin to play by it: eight packets, or what came in half a second.
  public var isSettled: Bool { count >= 8 || newest - began >= 0.5 }

  /// Whether the clocks have parted faster than two crystals do, for ten seconds and more: then a system puts one of them
  /// right (`adjtime` slews by 500 ppm).
  public var isSlewed: Bool { newest - began > 10 && abs(skew) > Self.steepestCrystals }

  /// Learns from one packet, at `now` of the own clock.
  ///
  /// Real-time: not safe.
  public mutating func add(_ transit: ClockTransit, at now: Instant) {
    guard Self.isPlausible(transit, at: now) else {
      rejected += 1
      return
    }
    if let origin, newest.isFinite, (transit.own - origin.instant).seconds > newest + Self.longestSilence { forget() }
    if origin == nil { origin = (transit.own, transit.difference) }
    guard let origin else { return }
    let moment = (transit.own - origin.instant).seconds
    let difference = Double((transit.difference - origin.difference).count)
    let isOut = transit.direction == .out
    let margin = 2 * Double(transit.resolution.count)
    if isOut { out.add(difference, at: moment) } else { back.add(difference, at: moment) }
    guard averaged != nil else { return begin() }
    if contradicts(difference, isOut: isOut, at: moment, margin: margin) {
      rejected += 1
      if isOut { out.contradictions += 1 } else { back.contradictions += 1 }
      if max(out.contradictions, back.contradictions) >= Self.contradictionsBelieved { reconsider() }
      return
    }
    if isOut { out.contradictions = 0 } else { back.contradictions = 0 }
    count += 1
    newest = max(newest, moment)
    averaged?.add(difference, isOut: isOut, at: moment)
    floor.add(difference, isOut: isOut, at: moment)
    if averaged?.isSurprised == true { reconsider() }
    unfitted += 1
    sinceBegan += 1
    if band == nil || sinceBegan < Self.firstPackets || isFitDue { fit() }
  }

  private var isFitDue: Bool {
    let passed = newest - fitted
    // An exchange tells of two packets at a time.
    guard passed < Self.longestPause else { return unfitted >= 2 }
    return unfitted >= Self.packetsPerFit
      && passed >= max(Self.pace, min(newest - began, MinimumDelayFilter.span) * Self.newPart)
  }

  /// Looks at the floor anew. While one direction has told nothing of late, what was seen last stands as of then.
  private mutating func fit() {
    guard let averaged, floor.fit(at: newest) else { return }
    (fitted, unfitted) = (newest, 0)
    let share = Self.share(of: averaged.variance(at: newest), beside: floor.variance(at: newest))
    skew = averaged.skew * share + floor.skew * (1 - share)
    let (low, high) = floor.band(skew: skew)
    // Where they have crossed the clock goes otherwise than before: the packets to come are to show it.
    if low <= high || band == nil { band = min(low, high)...max(low, high) }
  }

  /// The best knowledge at `now` (own clock), nil before a packet in each direction within ``MinimumDelayFilter/span``.
  ///
  /// Real-time: not safe.
  public func estimate(at now: Instant) -> ClockEstimate? {
    guard let origin, let averaged, let band else { return nil }
    let moment = (now - origin.instant).seconds
    let (one, other) = (averaged.variance(at: moment), floor.variance(at: moment))
    let share = Self.share(of: one, beside: other)
    let mean = averaged.offset(at: moment) * share + floor.offset(at: moment) * (1 - share)
    let skew = averaged.skew * share + floor.skew * (1 - share)
    // The band moves on with the skew, and widens by what the skew may be off.
    let loose = max(0, moment - fitted) * Self.loosest
    let (low, high) = (
      band.lowerBound + (moment - fitted) * skew - loose, band.upperBound + (moment - fitted) * skew + loose
    )
    let offset = min(max(mean, low), high)
    return ClockEstimate(
      offset: origin.difference + Nanoseconds(Self.whole(offset)), skew: skew / 1000,
      uncertainty: Nanoseconds(Self.whole(max(offset - low, high - offset))),
      deviation: Nanoseconds(Self.whole((share * share * one + (1 - share) * (1 - share) * other).squareRoot())))
  }

  /// How much of the first of two estimates is taken, by their variances: nearly all of it when it is much the better one,
  /// for the variances are estimates themselves, and that of the worse can be luck.
  private static func share(of one: Double, beside other: Double) -> Double {
    let ratio = one / other
    return 1 / (1 + ratio * ratio)
  }

  private static func whole(_ value: Double) -> Int64 { Int64(min(max(value, -4e18), 4e18).rounded()) }

  /// What lies in a time to come, or long ago, tells nothing; instants so far apart that their difference would not be exact
  /// are nobody's.
  private static func isPlausible(_ transit: ClockTransit, at now: Instant) -> Bool {
    let limit = Int64(1) << 61
    let range = -limit...limit
    guard range.contains(transit.sent.nanoseconds), range.contains(transit.received.nanoseconds),
      range.contains(now.nanoseconds)
    else { return false }
    return (0...longestEcho).contains((now - transit.own).seconds)
      && (0...1_000_000_000).contains(transit.resolution.count)
  }

  /// Begins anew, but for what has been counted.
  private mutating func forget() {
    var new = RemoteClock()
    (new.rejected, new.resets) = (rejected, resets)
    self = new
  }

  /// Begins as soon as there is one packet in each direction.
  private mutating func begin() {
    guard let first = out.newest, let second = back.newest else { return }
    let moment = max(first.moment, second.moment)
    guard (0...Self.longestDelay).contains(first.difference - second.difference) else {
      rejected += 1
      return
    }
    averaged = KalmanClock(out: first.difference, back: second.difference, at: moment)
    learn(first, second)
    (began, newest, sinceBegan) = (moment, moment, 2)
    fit()
    count = 2
  }

  private mutating func learn(_ first: Recent.Packet, _ second: Recent.Packet) {
    floor.removeAll()
    floor.add(first.difference, isOut: true, at: first.moment)
    floor.add(second.difference, isOut: false, at: second.moment)
  }

  /// Whether the packet arrived before it left, or took far too long, by all that is known.
  private func contradicts(_ difference: Double, isOut: Bool, at moment: Double, margin: Double) -> Bool {
    guard let band else { return false }
    // Since the band is older than it has to be.
    let slack = Self.slack + margin + max(0, abs(moment - fitted) - Self.pace) * Self.loosest
    return isOut
      ? difference < band.lowerBound - slack || difference > band.upperBound + slack + Self.longestDelay
      : difference > band.upperBound + slack || difference < band.lowerBound - slack - Self.longestDelay
  }

  /// The newest packets do not fit what is known. If they fit one another, they are believed.
  private mutating func reconsider() {
    (out.contradictions, back.contradictions) = (0, 0)
    guard let (first, second) = Recent.agreement(of: out, and: back) else { return }
    resets += 1
    let moment = max(first.moment, second.moment)
    averaged?.restart(out: first.difference, back: second.difference, at: moment)
    learn(first, second)
    (began, newest, sinceBegan, band) = (moment, moment, 2, nil)
    fit()
  }
}
