public import MusicalTime

/// Estimates another peer's clock from exchanges with it.
///
/// Delay on a network has a hard floor and a long tail on the late side, so the exchange that took least tells most:
/// NTP's clock filter (RFC 5905, section 10). Each of the last exchanges vouches for its offset within half its delay,
/// widened by the clocks' resolution and, as it ages, by the most that two crystals drift apart; the narrowest one
/// wins. An answer that would have arrived before it was asked for is a lie or a clock set meanwhile, and is counted,
/// not used. When several answers in a row contradict all that was known, the remote clock has been set or its peer
/// restarted: the old knowledge is dropped.
public struct RemoteClock: Sendable {
  /// Exchanges remembered.
  public static let depth = 64
  /// Two free-running crystals part by at most this much: 100 parts in a million.
  static let driftDivisor: Int64 = 10_000
  /// So many contradictions in a row mean that the remote clock was set.
  static let contradictionsBelieved = 4
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
    var best: ClockEstimate?
    for exchange in exchanges {
      let uncertainty = margin(of: exchange, at: now)
      if best.map({ uncertainty < $0.uncertainty }) ?? true {
        best = ClockEstimate(offset: exchange.offset, uncertainty: uncertainty)
      }
    }
    return best
  }

  private func margin(of exchange: ClockExchange, at now: Instant) -> Nanoseconds {
    let delay = exchange.delay.count
    let age = (now - exchange.received).count
    let drift = age > 0 ? age / Self.driftDivisor : 0
    return Nanoseconds((delay > 0 ? delay / 2 : 0) + exchange.resolution.count + drift)
  }
}
