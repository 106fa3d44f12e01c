import Foundation
public import MusicalTime
import Simulation

/// Trains of clock ticks from friendly to hostile, from a seed: 240 ticks at 120 BPM, the train's own trouble, then 480
/// ticks at one tempo. Each arrives late by |N(0, sigma)|.
public enum TickTrain: String, CaseIterable, Sendable {
  case steady
  /// One tick in twenty is lost, each by itself.
  case lossy
  /// One in a hundred is lost, and one to three more behind it.
  case lossyInBursts
  /// The sender stands still for 1.3 s, and counts on from where it stood.
  case pause
  /// The same for 15 s.
  case silence
  /// From 120 to 240 BPM.
  case doubleTime
  /// From 120 to 60 BPM.
  case halfTime
  /// From 120 to 80 BPM: three ticks take the time of two lost ones and one.
  case slower
  /// From 120 to 140 BPM, losing one tick in twenty.
  case lossyFaster
  /// Ticks come in heaps of four.
  case bursts
  /// The sender stalls for 250 ms; what it missed comes at once, 0.1 ms apart.
  case stall
  /// From 40 to 240 BPM and back in 10 s.
  case shortRamp
  /// The same in a minute.
  case longRamp
  /// Each tick comes again 2 to 4 ms later, for five seconds.
  case doubled
  /// The same from the first tick on.
  case doubledFromTheStart

  public struct Arrival: Sendable {
    /// Its number by its sender's count.
    public var tick: Int64
    /// When it should have come, nanoseconds.
    public var due: Double
    public var at: Instant
    /// Beats a minute when it was sent.
    public var bpm: Double
  }

  /// Whether the sender's count can be known from the arrivals: not when it stood still without a word.
  public var tellsCount: Bool { self != .pause && self != .silence }

  /// - Returns: the arrivals, in order, and how many of them belong to the trouble or come before it.
  public func arrivals(seed: UInt64, sigma: Nanoseconds = .milliseconds(1)) -> (arrivals: [Arrival], calm: Int) {
    var sender = Sender(random: SplitMix(seed: seed), sigma: Double(sigma.count))
    sender.isDoubled = self == .doubledFromTheStart
    sender.send(240) { _ in 120 }
    switch self {
    case .steady, .doubledFromTheStart: break
    case .lossy:
      sender.loss = (0.05, 1...1)
      sender.send(2400) { _ in 120 }
    case .lossyInBursts:
      sender.loss = (0.01, 2...4)
      sender.send(2400) { _ in 120 }
    case .pause: sender.due += 1.3e9
    case .silence: sender.due += 15e9
    case .doubleTime, .halfTime, .slower: break
    case .lossyFaster: sender.loss = (0.05, 1...1)
    case .bursts: for _ in 0..<24 { sender.heap(4, bpm: 120) }
    case .stall: sender.heap(12, bpm: 120)
    case .shortRamp: sender.ramp(seconds: 10)
    case .longRamp: sender.ramp(seconds: 60)
    case .doubled:
      sender.isDoubled = true
      sender.send(240) { _ in 120 }
      sender.isDoubled = false
    }
    let calm = sender.arrivals.count
    if self != .lossyFaster { sender.loss = (0, 1...1) }
    let bpm: Double =
      switch self {
      case .doubleTime: 240
      case .halfTime: 60
      case .slower: 80
      case .lossyFaster: 140
      case .shortRamp, .longRamp: 40
      default: 120
      }
    sender.send(480) { _ in bpm }
    return (sender.arrivals, calm)
  }

  private struct Sender {
    var random: SplitMix
    let sigma: Double
    var arrivals: [Arrival] = []
    var tick: Int64 = -1
    var due = 1e12
    var isDoubled = false
    /// How often ticks are lost, and how many at a time.
    var loss: (rate: Double, count: ClosedRange<Int64>) = (0, 1...1)
    private var losing: Int64 = 0

    init(random: SplitMix, sigma: Double) { (self.random, self.sigma) = (random, sigma) }

    mutating func send(_ count: Int, bpm: (Int) -> Double) {
      for n in 0..<count {
        step(bpm(n))
        if losing == 0, uniform() < loss.rate { losing = random.integer(in: loss.count) }
        if losing > 0 {
          losing -= 1
          continue
        }
        let late = abs(normal()) * sigma
        arrive(due + late, bpm(n))
        if isDoubled { arrive(due + late + 2e6 + 2e6 * uniform(), bpm(n)) }
      }
    }

    /// So many ticks come 0.1 ms apart, with the last of them.
    mutating func heap(_ count: Int, bpm: Double) {
      let end = due + Double(count) * 60e9 / bpm / 24
      for n in 0..<count {
        step(bpm)
        arrive(end + Double(n) * 100_000, bpm)
      }
    }

    mutating func ramp(seconds: Double) {
      let start = due
      while due - start < seconds * 1e9 {
        let way = (due - start) / (seconds * 0.5e9)
        step(40 + 200 * max(0, way < 1 ? way : 2 - way))
        arrive(due + abs(normal()) * sigma, 40 + 200 * max(0, way < 1 ? way : 2 - way))
      }
    }

    private mutating func step(_ bpm: Double) {
      tick += 1
      due += 60e9 / bpm / 24
    }

    private mutating func arrive(_ at: Double, _ bpm: Double) {
      arrivals.append(Arrival(tick: tick, due: due, at: Instant(nanoseconds: Int64(at)), bpm: bpm))
    }

    private mutating func uniform() -> Double { Double.random(in: 0..<1, using: &random) }

    private mutating func normal() -> Double {
      // Box and Muller's transform.
      (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
    }
  }
}
