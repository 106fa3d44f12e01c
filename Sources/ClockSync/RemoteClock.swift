public import MusicalTime

/// Estimates another peer's clock from exchanges with it.
///
/// Delay on a network has a hard floor and a long tail on the late side, so the exchange that took least tells most (the
/// clock filter of NTP, RFC 5905, section 10). Where the delay is as likely too short as too long, as with many small
/// causes, each exchange tells as much as the next, and only averaging helps. So all the last ones count, each by how far
/// its delay lies above the least, measured by the median of these distances: those near the floor fully, a tail hardly.
/// Through the offsets so weighted goes a line of least squares, since two crystals part steadily; a slope beyond what
/// crystals do (Gaussian, 50 ppm) needs so much the more evidence.
///
/// The bound is not statistical: the exchange that took least vouches for its offset within half its delay, widened by the
/// clocks' resolution and, as it ages, by the most that two crystals drift apart, and the estimate stays inside. An answer
/// that would have arrived before it was asked for is a lie or a clock set meanwhile, and is counted, not used. When
/// several answers in a row contradict all that was known, the remote clock has been set or its peer restarted: the old
/// knowledge is dropped.
public struct RemoteClock: Sendable {
  /// Exchanges remembered.
  public static let depth = 256
  /// Two free-running crystals part by at most this much: 100 parts in a million.
  static let driftDivisor: Int64 = 10_000
  /// So many contradictions in a row mean that the remote clock was set.
  static let contradictionsBelieved = 4
  /// By how much two crystals may well drift apart, nanoseconds a second.
  static let likelyDrift = 50_000.0
  /// No exchange that took longer is of use.
  static let longestDelay = Nanoseconds.seconds(10)

  private var exchanges: [ClockExchange] = []
  private var oldest = 0
  private var contradictions = 0
  /// Exchanges that could not have happened.
  public private(set) var rejected = 0
  /// How often the remote clock was found to have been set.
  public private(set) var resets = 0

  public init() { exchanges.reserveCapacity(Self.depth) }

  /// Exchanges in memory.
  public var count: Int { exchanges.count }

  private var question: ClockTransit?

  /// Learns from one packet.
  ///
  /// Real-time: not safe.
  public mutating func add(_ transit: ClockTransit) {
    switch transit.direction {
    case .out: question = transit
    case .back:
      guard let out = question else { return }
      question = nil
      add(
        ClockExchange(
          sent: out.sent, remoteReceived: out.received, remoteSent: transit.sent, received: transit.received,
          resolution: transit.resolution))
    }
  }

  /// Learns from one exchange.
  ///
  /// Real-time: not safe.
  public mutating func add(_ exchange: ClockExchange) {
    let delay = exchange.delay
    let possible = Nanoseconds.zero...Self.longestDelay
    guard possible.contains(exchange.received - exchange.sent),
      possible.contains(exchange.remoteSent - exchange.remoteReceived),
      delay >= -exchange.resolution - exchange.resolution
    else {
      rejected += 1
      return
    }
    if let known = estimate(at: exchange.received),
      (exchange.offset - known.offset).magnitude > known.uncertainty + margin(of: exchange, at: exchange.received)
    {
      contradictions += 1
      guard contradictions >= Self.contradictionsBelieved else { return }
      exchanges.removeAll(keepingCapacity: true)
      oldest = 0
      resets += 1
    }
    contradictions = 0
    if exchanges.count < Self.depth {
      exchanges.append(exchange)
    } else {
      exchanges[oldest] = exchange
      oldest = (oldest + 1) % Self.depth
    }
  }

  /// The best knowledge at `now` (own clock), nil before the first exchange.
  ///
  /// Real-time: not safe.
  public func estimate(at now: Instant) -> ClockEstimate? {
    guard var best = exchanges.first else { return nil }
    for exchange in exchanges where margin(of: exchange, at: now) < margin(of: best, at: now) { best = exchange }
    let margin = margin(of: best, at: now)
    let fitted = fit(at: now, from: best).count
    let off = Nanoseconds(min(max(fitted, -margin.count), margin.count))
    return ClockEstimate(offset: best.offset + off, uncertainty: margin + off.magnitude)
  }

  /// Where the weighted line lies at `now`, relative to the offset of `origin`.
  private func fit(at now: Instant, from origin: ClockExchange) -> Nanoseconds {
    let delays = exchanges.map(\.delay.count).sorted()
    let floor = delays[0]
    let excess = Double(delays[delays.count / 2] - floor)
    let scale = max(excess, 1)
    func point(_ exchange: ClockExchange) -> (weight: Double, x: Double, y: Double) {
      let distance = Double(exchange.delay.count - floor) / scale
      let nearness = 1 / (1 + distance * distance)
      return (nearness * nearness, (exchange.received - now).seconds, Double((exchange.offset - origin.offset).count))
    }
    var (weight, x, y) = (0.0, 0.0, 0.0)
    for exchange in exchanges {
      let point = point(exchange)
      weight += point.weight
      x += (point.x - x) * point.weight / weight
      y += (point.y - y) * point.weight / weight
    }
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for exchange in exchanges {
      let point = point(exchange)
      xx += point.weight * (point.x - x) * (point.x - x)
      xy += point.weight * (point.x - x) * (point.y - y)
      yy += point.weight * (point.y - y) * (point.y - y)
    }
    let variance = yy / weight + excess * excess / (16 * weight) + 1
    let slope = xy / (xx + variance / (Self.likelyDrift * Self.likelyDrift))
    // Far beyond what the bound would let pass, so that it fits.
    return Nanoseconds(Int64(min(max(y - slope * x, -1e15), 1e15)))
  }

  private func margin(of exchange: ClockExchange, at now: Instant) -> Nanoseconds {
    let delay = exchange.delay.count
    let age = (now - exchange.received).count
    let drift = age > 0 ? age / Self.driftDivisor : 0
    return Nanoseconds((delay > 0 ? delay / 2 : 0) + exchange.resolution.count + drift)
  }
}
