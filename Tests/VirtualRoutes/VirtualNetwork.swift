import Foundation
import MusicalTime
import Seeds

/// The networks of the lab (Benchmarks/Lab/network.sh), by what netem does to each packet.
public enum VirtualNetwork: String, CaseIterable, Sendable {
  case still, lan, wifi, poor

  /// How long a packet takes; nil when it is lost.
  public func delay(_ random: inout SplitMix) -> Nanoseconds? {
    let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
    // Box and Muller's transform.
    let normal = (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
    let isLost = Double.random(in: 0..<1, using: &random) < loss
    guard !isLost else { return nil }
    let microseconds =
      switch self {
      // What the machines add to it, some instructions more or less.
      case .still: 100 + abs(normal)
      case .lan: 500 + 100 * normal
      case .wifi: 5000 + 1000 * normal
      // Pareto's distribution of index 3, scaled to a deviation of 5 ms; netem's table ends at four deviations.
      case .poor: 5000 + 5000 * min((pow(u, -1.0 / 3) - 1.5) / 0.866, 4)
      }
    return Nanoseconds(Int64(max(0, microseconds) * 1000))
  }

  private var loss: Double {
    switch self {
    case .still, .lan: 0
    case .wifi: 0.01
    case .poor: 0.03
    }
  }
}
