import Foundation
public import MusicalTime
import Simulation

/// A train of MIDI clock ticks with one kind of disturbance: 240 ticks at 120 BPM, the disturbance, then 480 ticks at a
/// constant tempo. The delay of each tick is the magnitude of a normally distributed number with mean 0 and standard
/// deviation sigma, except for ticks that arrive in groups. The seed determines the train.
public enum TickTrain: String, CaseIterable, Sendable {
  case steady
  /// Each tick is lost with a probability of 5 %, independently of the other ticks.
  case lossy
  /// With a probability of 1 %, a tick is lost together with the next one to three ticks.
  case lossyInBursts
  /// The sender pauses for 1.3 s and then continues its count.
  case pause
  /// The sender pauses for 15 s and then continues its count.
  case silence
  /// The tempo changes from 120 to 240 BPM.
  case doubleTime
  /// The tempo changes from 120 to 60 BPM.
  case halfTime
  /// The tempo changes from 120 to 80 BPM. Two ticks at 80 BPM take as long as three ticks at 120 BPM.
  case slower
  /// The tempo changes from 120 to 140 BPM. From the change on, each tick is lost with a probability of 5 %.
  case lossyFaster
  /// The ticks arrive in groups of four, 0.1 ms apart.
  case bursts
  /// The sender stalls for 250 ms. The twelve ticks of this time arrive after the stall, 0.1 ms apart.
  case stall
  /// The tempo rises from 40 to 240 BPM in 5 s and falls back to 40 BPM in 5 s.
  case shortRamp
  /// The tempo rises from 40 to 240 BPM in 30 s and falls back to 40 BPM in 30 s.
  case longRamp
  /// For five seconds, each tick arrives a second time 2 to 4 ms later.
  case doubled
  /// From the first tick to the last, each tick arrives a second time 2 to 4 ms later.
  case doubledFromTheStart

  /// The arrival of a tick.
  public struct Arrival: Sendable {
    /// The number of the tick by the sender's count.
    public var tick: Int64
    /// The due time of the tick in nanoseconds, in the time scale of `at`.
    public var due: Double
    /// When the tick arrived.
    public var at: Instant
    /// The tempo at which the tick was sent, in BPM.
    public var bpm: Double
  }

  /// Whether a receiver can derive the number of each tick from the arrivals. This is impossible if the sender pauses, because a receiver
  /// cannot distinguish a pause from a loss of ticks.
  public var tellsCount: Bool { self != .pause && self != .silence }

  /// Generates the train of `seed`.
  ///
  /// - Parameter sigma: the standard deviation of the number whose magnitude is the delay of a tick.
  /// - Returns: the arrivals in order, and the index of the first arrival after the disturbance (`calm`).
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
    // The disturbance is the step to another tempo, which begins with the next tick.
    case .doubleTime, .halfTime, .slower: break
    case .lossyFaster: sender.loss = (0.05, 1...1)
    case .bursts: for _ in 0..<24 { sender.sendAtOnce(4, bpm: 120) }
    case .stall: sender.sendAtOnce(12, bpm: 120)
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

  /// The sender of the train, and the network to the receiver.
  private struct Sender {
    var random: SplitMix
    let sigma: Double
    var arrivals: [Arrival] = []
    /// The newest tick, and its due time in nanoseconds.
    var tick: Int64 = -1
    var due = 1e12
    /// Whether each tick arrives twice.
    var isDoubled = false
    /// The probability that a loss begins at a tick, and the range of the number of ticks that this loss takes.
    var loss: (rate: Double, count: ClosedRange<Int64>) = (0, 1...1)
    /// The number of ticks that the present loss will still take.
    private var losing: Int64 = 0

    init(random: SplitMix, sigma: Double) { (self.random, self.sigma) = (random, sigma) }

    /// Sends `count` ticks. `bpm` returns the tempo of a tick; its argument is the number of the tick in this call, from 0 on.
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

    /// Sends `count` ticks. The first tick arrives at the due time of the last tick, and the others follow 0.1 ms apart.
    mutating func sendAtOnce(_ count: Int, bpm: Double) {
      let end = due + Double(count) * 60e9 / bpm / 24
      for n in 0..<count {
        step(bpm)
        arrive(end + Double(n) * 100_000, bpm)
      }
    }

    /// Sends ticks for `seconds` seconds. The tempo rises from 40 to 240 BPM in the first half and falls back in the second.
    mutating func ramp(seconds: Double) {
      let start = due
      while due - start < seconds * 1e9 {
        // 0...1 in the first half, and 1...2 in the second half.
        let progress = (due - start) / (seconds * 0.5e9)
        let bpm = 40 + 200 * max(0, progress < 1 ? progress : 2 - progress)
        step(bpm)
        arrive(due + abs(normal()) * sigma, bpm)
      }
    }

    /// Advances to the next tick and its due time at a tempo of `bpm`.
    private mutating func step(_ bpm: Double) {
      tick += 1
      // A minute has 60e9 ns, and a quarter note has 24 ticks.
      due += 60e9 / bpm / 24
    }

    private mutating func arrive(_ at: Double, _ bpm: Double) {
      arrivals.append(Arrival(tick: tick, due: due, at: Instant(nanoseconds: Int64(at)), bpm: bpm))
    }

    private mutating func uniform() -> Double { Double.random(in: 0..<1, using: &random) }

    private mutating func normal() -> Double {
      // The Box-Muller transform.
      (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
    }
  }
}
