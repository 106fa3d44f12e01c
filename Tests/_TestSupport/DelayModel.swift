public import MusicalTime
import Simulation

/// A distribution of the delays of packets, with bursts of loss. ``VirtualRoute`` uses it in place of a `NetworkModel` to test the
/// estimators of clocks with more kinds of networks. It calculates only with the four basic operations, so that a seed gives the same
/// delays on every machine.
public struct DelayModel: Sendable {
  /// A distribution, named after its edge. The edge is at the least delay. It is hard if many packets have nearly the least delay, and soft if
  /// the density falls gradually to zero.
  public enum Shape: String, CaseIterable, Sendable {
    /// The upper half of a normal distribution.
    case sharp
    /// An exponential distribution: the wait in a queue.
    case exponential
    /// A Pareto distribution of index 3, cut at four standard deviations above the mean, as in netem.
    case pareto
    case uniform
    /// The sum of two, three or four exponential delays: several queues, one after the other. The edge is the softer the more there are.
    case gamma2, gamma3, gamma4
    /// One part of a normal and three parts of a Pareto distribution, as in netem.
    case paretonormal
    /// A quiet and a busy state with normal distributions. The busy state lasts for 0.1 s on average, and has a quarter of the time. Both its
    /// mean and its deviation are larger.
    case twostate
    case normal

    /// Whether the edge is hard.
    public var isHard: Bool { self == .sharp || self == .exponential || self == .pareto || self == .uniform }
  }

  public var shape: Shape
  /// The standard deviation of the delays. Their mean is five times as long.
  public var deviation: Nanoseconds
  /// Whether packets are lost in bursts (E. N. Gilbert, 1960; E. O. Elliott, 1963). In the bad state, which lasts for 0.2 s on average and has
  /// a tenth of the time, three of four packets are lost.
  public var hasLoss: Bool

  public init(_ shape: Shape, deviation: Nanoseconds, hasLoss: Bool = false) {
    (self.shape, self.deviation, self.hasLoss) = (shape, deviation, hasLoss)
  }

  /// The states of one direction of a route over time: when the network was busy, and when it was bad.
  struct Direction {
    private let model: DelayModel
    /// Ascending instants in seconds at which the state changes. The first state is the quiet or good one.
    private var (busy, bad): ([Double], [Double]) = ([], [])

    init(_ model: DelayModel, seconds: Double, _ random: inout SplitMix) {
      self.model = model
      if model.shape == .twostate { busy = Self.changes((0.3, 0.1), seconds: seconds, &random) }
      if model.hasLoss { bad = Self.changes((1.8, 0.2), seconds: seconds, &random) }
    }

    private static func changes(
      _ means: (Double, Double), seconds: Double, _ random: inout SplitMix
    ) -> [Double] {
      var (changes, end) = ([Double](), 0.0)
      while end < seconds {
        end += (changes.count.isMultiple(of: 2) ? means.0 : means.1) * random.exponential()
        changes.append(end)
      }
      return changes
    }

    /// Whether `second` lies in the second state.
    private static func isSecond(_ changes: [Double], at second: Double) -> Bool {
      var (low, high) = (0, changes.count)
      while low < high {
        let middle = (low + high) / 2
        if changes[middle] <= second { low = middle + 1 } else { high = middle }
      }
      return !low.isMultiple(of: 2)
    }

    /// The delay of a packet that is sent at `instant`; nil if it is lost.
    func delay(at instant: Instant, _ random: inout SplitMix) -> Nanoseconds? {
      let second = Double(instant.nanoseconds) / 1e9
      if model.hasLoss, Self.isSecond(bad, at: second), random.fraction() < 0.75 { return nil }
      // The mean is 0, and the standard deviation 1.
      let deviations =
        switch model.shape {
        case .sharp: (abs(random.standardNormal()) - 0.7979) / 0.6028
        case .exponential: random.exponential() - 1
        case .pareto: random.standardPareto()
        case .uniform: (random.fraction() - 0.5) * 3.4641
        case .gamma2: ((0..<2).reduce(0) { sum, _ in sum + random.exponential() } - 2) / 1.4142
        case .gamma3: ((0..<3).reduce(0) { sum, _ in sum + random.exponential() } - 3) / 1.7321
        case .gamma4: ((0..<4).reduce(0) { sum, _ in sum + random.exponential() } - 4) / 2
        // The square root of 1 + 9 is 3.1623.
        case .paretonormal: (random.standardNormal() + 3 * random.standardPareto()) / 3.1623
        case .twostate:
          // Quiet: mean 0, deviation 0.35. Busy: mean 2, deviation 1. Of the mixture: mean 0.5, deviation 1.0445.
          ((Self.isSecond(busy, at: second) ? 2 + random.standardNormal() : 0.35 * random.standardNormal()) - 0.5)
            / 1.0445
        case .normal: random.standardNormal()
        }
      return max(.zero, Nanoseconds(Int64(Double(model.deviation.count) * (5 + deviations))))
    }
  }
}

extension SplitMix {
  /// A uniform number in 0..<1.
  fileprivate mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// An approximately normal number with mean 0 and standard deviation 1 (Irwin and Hall, 1927).
  fileprivate mutating func standardNormal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + fraction() } }

  /// A Pareto number with mean 0 and standard deviation 1, at most 4. The maximum of three uniform numbers has the same distribution as the
  /// cube root of one.
  fileprivate mutating func standardPareto() -> Double {
    min((1 / max(fraction(), fraction(), fraction(), 1e-9) - 1.5) / 0.866, 4)
  }

  /// An exponential number with mean 1, without a logarithm (J. von Neumann, "Various techniques used in connection with random digits",
  /// 1951). Uniform numbers are drawn while each is smaller than the one before. If their number is odd, the first one is the fractional
  /// part of the result. Otherwise, the whole part grows by one, and the draws are repeated.
  fileprivate mutating func exponential() -> Double {
    var whole = 0.0
    while true {
      let first = fraction()
      var (last, isOdd) = (first, true)
      while true {
        let next = fraction()
        if next >= last { break }
        (last, isOdd) = (next, !isOdd)
      }
      if isOdd { return whole + first }
      whole += 1
    }
  }
}
