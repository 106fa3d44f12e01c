public import MusicalTime

/// What a network does to each packet on its way. Integers and the four operations alone, so that a seed gives the same
/// evening on every machine.
public struct VirtualNetwork: Hashable, Sendable {
  /// How delays spread around their middle.
  public enum Shape: Hashable, Sendable {
    /// Symmetric, none below zero.
    case normal
    /// The halves of a normal distribution that are late: ``VirtualNetwork/delay`` is the floor.
    case late
    /// A floor and a long tail: Pareto's distribution of index 3, cut at four deviations as netem's table is.
    case pareto
  }

  public var name: String
  /// The mean; with ``Shape/late`` the least.
  public var delay: Nanoseconds
  /// The standard deviation.
  public var jitter: Nanoseconds
  public var shape: Shape
  /// The share of packets that are lost, 0...1.
  public var loss: Double
  /// How many packets are lost one after another, on average; 1: each loss is by itself.
  public var burst: Double
  /// The share of packets that arrive twice.
  public var duplicate: Double
  /// The share of packets that are held back by ``hold``, so that those behind overtake them.
  public var reorder: Double

  /// Longer than a tick at 120 BPM.
  public static let hold = Nanoseconds.milliseconds(25)

  public init(
    name: String, delay: Nanoseconds, jitter: Nanoseconds, shape: Shape = .normal, loss: Double = 0,
    burst: Double = 1, duplicate: Double = 0, reorder: Double = 0
  ) {
    (self.name, self.delay, self.jitter, self.shape) = (name, delay, jitter, shape)
    (self.loss, self.burst, self.duplicate, self.reorder) = (loss, burst, duplicate, reorder)
  }

  /// The networks of the lab (Benchmarks/Lab/network.sh), by what netem does there. A still one adds what the machines do,
  /// some instructions more or less.
  public static let still = VirtualNetwork(
    name: "still", delay: .microseconds(100), jitter: .microseconds(1), shape: .late)
  public static let lan = VirtualNetwork(name: "lan", delay: .microseconds(500), jitter: .microseconds(100))
  public static let wifi = VirtualNetwork(
    name: "wifi", delay: .milliseconds(5), jitter: .milliseconds(1), loss: 0.01)
  public static let poor = VirtualNetwork(
    name: "poor", delay: .milliseconds(5), jitter: .milliseconds(5), shape: .pareto, loss: 0.03)

  /// All of the lab's.
  public static let lab = [still, lan, wifi, poor]

  /// How long a packet takes; nil when it is lost. Each is lost or not by itself.
  public func delay(_ random: inout SplitMix) -> Nanoseconds? {
    random.share() < loss ? nil : latency(&random)
  }

  /// How long a packet takes that is not lost.
  func latency(_ random: inout SplitMix) -> Nanoseconds {
    let deviations =
      switch shape {
      case .normal: random.normal()
      case .late: abs(random.normal())
      case .pareto: random.pareto()
      }
    return max(.zero, delay + Nanoseconds((jitter.count * deviations) >> 16))
  }

  /// Whether a packet is lost after one that was, or was not: the chain of two states after Gilbert (1960).
  func loses(afterLoss: Bool, _ random: inout SplitMix) -> Bool {
    guard loss > 0 else { return false }
    guard burst > 1, loss < 1 else { return random.share() < loss }
    return random.share() < (afterLoss ? 1 - 1 / burst : loss / (burst * (1 - loss)))
  }
}

extension SplitMix {
  /// 0..<1.
  mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

  /// Of mean 0 and a deviation of 2^16: the sum of twelve uniform ones of 16 bits (after Irwin and Hall, 1927).
  mutating func normal() -> Int64 {
    var sum: Int64 = -393_210
    for _ in 0..<3 {
      let bits = next()
      sum += Int64(bits & 0xFFFF) + Int64(bits >> 16 & 0xFFFF) + Int64(bits >> 32 & 0xFFFF) + Int64(bits >> 48)
    }
    return sum
  }

  /// Of mean 0 and a deviation of 2^16, at most four deviations: the greatest of three uniform numbers to the power of
  /// -1 is distributed as one is to the power of -1/3.
  mutating func pareto() -> Int64 {
    let (a, b) = (next(), next())
    let greatest = Int64(max(a >> 32, a & 0xFFFF_FFFF, b >> 32)) + 1
    return min(((1 << 48) / greatest - 98_304) * 1000 / 866, 4 << 16)
  }
}
