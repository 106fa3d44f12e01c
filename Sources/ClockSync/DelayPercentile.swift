public import MusicalTime

/// The 99th percentile of the delays of packets, which follows slow changes of the network.
///
/// The estimate is a stochastic approximation (Robbins and Monro, "A Stochastic Approximation Method", 1951). A delay
/// longer than the estimate raises the estimate by a fifth. A shorter delay lowers it by a 99th of a fifth. The rises
/// and falls cancel if one delay in a hundred is longer than the estimate. Both steps are fractions of the estimate.
/// Therefore the estimate adapts within the same number of packets on a slow and on a fast network. If all delays are
/// shorter, the estimate falls to one half within about 340 packets.
public struct DelayPercentile: Sendable, BitwiseCopyable {
  /// The fraction of the estimate by which a longer delay raises the estimate.
  private static let rise = 0.2
  /// The fraction of the estimate by which a shorter delay lowers the estimate.
  private static let fall = rise / 99
  /// The smallest and the largest estimate in nanoseconds: 50 us, and 10 s.
  private static let range = 50_000.0...10_000_000_000.0

  private var estimate: Double?

  public init() {}

  /// Updates the estimate with the delay of one packet. A negative delay counts as 0.
  ///
  /// Real-time: not safe.
  public mutating func add(_ delay: Nanoseconds) {
    let delay = Double(delay.count)
    // The estimate starts at twice the first delay. The first delay is probably near the median, and the 99th percentile
    // of most networks is less than twice the median.
    let present = estimate ?? 2 * delay
    let next = delay > present ? present * (1 + Self.rise) : present * (1 - Self.fall)
    estimate = min(max(next, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The percentile; nil before the first packet.
  ///
  /// Real-time: not safe.
  public var value: Nanoseconds? { estimate.map { Nanoseconds(Int64($0)) } }
}
