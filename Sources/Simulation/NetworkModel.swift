public import MusicalTime

/// The delay, loss, duplication and reordering of packets on a network. The model calculates with integers, and with floating-point
/// numbers only by the four basic operations, whose results IEEE 754 defines exactly. A seed therefore gives the same simulation on
/// every machine.
///
/// Real-time: not safe.
public struct NetworkModel: Hashable, Sendable {
  /// The distribution of delays.
  public enum Shape: Hashable, Sendable {
    /// A normal distribution without negative delays.
    case normal
    /// The upper half of a normal distribution. ``NetworkModel/delay`` is the minimum.
    case late
    /// A Pareto distribution of index 3, with a minimum and a long tail. It is cut at four standard deviations above the mean, as
    /// in netem's table.
    case pareto
  }

  public var name: String
  /// The mean delay. With ``Shape/late``, the minimum delay.
  public var delay: Nanoseconds
  /// The standard deviation of the delay. With ``Shape/late``, the standard deviation of the complete normal distribution, not of
  /// its upper half.
  public var jitter: Nanoseconds
  public var shape: Shape
  /// The fraction of packets that are lost, 0...1.
  public var loss: Double
  /// The mean number of consecutive losses. 1: losses are independent.
  public var burst: Double
  /// The fraction of packets that arrive twice.
  public var duplicate: Double
  /// The fraction of packets that are delayed by ``hold``, so that later packets overtake them.
  public var reorder: Double

  /// The additional delay of reordered packets: longer than a tick at 120 BPM.
  public static let hold = Nanoseconds.milliseconds(25)

  public init(
    name: String, delay: Nanoseconds, jitter: Nanoseconds, shape: Shape = .normal, loss: Double = 0,
    burst: Double = 1, duplicate: Double = 0, reorder: Double = 0
  ) {
    (self.name, self.delay, self.jitter, self.shape) = (name, delay, jitter, shape)
    (self.loss, self.burst, self.duplicate, self.reorder) = (loss, burst, duplicate, reorder)
  }

  // The networks of the lab (Benchmarks/Lab/network.sh), as netem implements them.

  /// A network to which netem adds no jitter. The jitter here is that of the machines.
  public static let still = NetworkModel(
    name: "still", delay: .microseconds(100), jitter: .microseconds(1), shape: .late)
  public static let lan = NetworkModel(name: "lan", delay: .microseconds(500), jitter: .microseconds(100))
  public static let wifi = NetworkModel(
    name: "wifi", delay: .milliseconds(5), jitter: .milliseconds(1), loss: 0.01)
  public static let poor = NetworkModel(
    name: "poor", delay: .milliseconds(5), jitter: .milliseconds(5), shape: .pareto, loss: 0.03)

  /// All networks of the lab.
  public static let lab = [still, lan, wifi, poor]

  /// The delay of a packet; nil if the packet is lost. Ignores ``burst``, ``duplicate`` and ``reorder``, so losses are independent of each
  /// other. ``VirtualWire`` applies these properties, and calls ``loses(afterLoss:_:)`` and ``latency(_:)`` instead.
  public func delay(_ random: inout SplitMix) -> Nanoseconds? {
    random.share() < loss ? nil : latency(&random)
  }

  /// The delay of a packet that is not lost.
  func latency(_ random: inout SplitMix) -> Nanoseconds {
    let deviations =
      switch shape {
      case .normal: random.normal()
      case .late: abs(random.normal())
      case .pareto: random.pareto()
      }
    // The random numbers have the standard deviation 2^16.
    return max(.zero, delay + Nanoseconds((jitter.count * deviations) >> 16))
  }

  /// Whether a packet is lost, given whether the previous packet was lost. This is a Markov chain of two states (Gilbert, 1960). With
  /// the mean burst length b and the fraction p of lost packets, a packet is lost after a loss with the probability 1 - 1 / b, and
  /// after an arrival with the probability p / (b (1 - p)).
  func loses(afterLoss: Bool, _ random: inout SplitMix) -> Bool {
    guard loss > 0 else { return false }
    guard burst > 1, loss < 1 else { return random.share() < loss }
    return random.share() < (afterLoss ? 1 - 1 / burst : loss / (burst * (1 - loss)))
  }
}

extension SplitMix {
  /// A uniform number in 0..<1.
  mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// An approximately normal number with mean 0 and standard deviation 2^16: the sum of twelve uniform numbers of 16 bits
  /// (Irwin and Hall, 1927).
  mutating func normal() -> Int64 {
    // Minus the mean of the sum: 12 * 65535 / 2.
    var sum: Int64 = -393_210
    for _ in 0..<3 {
      let bits = next()
      sum += Int64(bits & 0xFFFF) + Int64(bits >> 16 & 0xFFFF) + Int64(bits >> 32 & 0xFFFF) + Int64(bits >> 48)
    }
    return sum
  }

  /// A Pareto number with mean 0 and standard deviation 2^16, at most four standard deviations. The reciprocal of the maximum
  /// of three uniform numbers has the same distribution as one uniform number to the power of -1/3.
  mutating func pareto() -> Int64 {
    let (a, b) = (next(), next())
    let greatest = Int64(max(a >> 32, a & 0xFFFF_FFFF, b >> 32)) + 1
    // 2^48 / greatest has the minimum 2^16. The mean of the distribution is 3/2 of its minimum, 98304, and its standard
    // deviation is 0.866 (the square root of 3/4) of its minimum.
    return min(((1 << 48) / greatest - 98_304) * 1000 / 866, 4 << 16)
  }
}
