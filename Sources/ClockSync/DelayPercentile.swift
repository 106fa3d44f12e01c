public import MusicalTime

/// The 99th percentile of the delays of packets, which follows slow changes of the network.
///
/// The estimate is a stochastic approximation (Robbins and Monro, "A Stochastic Approximation Method", 1951). A longer delay raises
/// the estimate by 99 parts, a shorter one lowers it by one part. It is constant on average if one delay in a hundred is longer. The
/// parts are relative to the estimate, so the estimate needs the same number of packets on every network. It rises by a fifth with
/// each longer delay, and it falls to one half within about 340 packets.
public struct DelayPercentile: Sendable, BitwiseCopyable {
  /// The share of the estimate by which a longer delay raises it.
  private static let rise = 0.2
  /// The share of the estimate by which a shorter delay lowers it.
  private static let fall = rise / 99
  /// The smallest and the largest estimate in nanoseconds: 50 us, and 10 s.
  private static let range = 50_000.0...10_000_000_000.0

  private var estimate: Double?

  public init() {}

  /// Takes in the delay of a packet. A negative delay counts as 0.
  ///
  /// Real-time: not safe.
  public mutating func add(_ delay: Nanoseconds) {
    let delay = Double(delay.count)
    // The first delay is about the median, and the 99th percentile of most networks is less than twice the median.
    let present = estimate ?? 2 * delay
    let next = delay > present ? present * (1 + Self.rise) : present * (1 - Self.fall)
    estimate = min(max(next, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The percentile; nil before the first packet.
  ///
  /// Real-time: not safe.
  public var value: Nanoseconds? { estimate.map { Nanoseconds(Int64($0)) } }
}
