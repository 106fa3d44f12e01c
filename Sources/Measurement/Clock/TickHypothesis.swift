import Foundation

/// One way to number the ticks of a clock up to a stamp, with the tracking line that follows from these numbers.
///
/// The tracking line predicts the instant of the next tick. A stamp moves it by the rules of a polynomial filter with growing memory
/// (E. Brookner, Tracking and Kalman Filtering Made Easy, 1998, chapter 6): with n ticks in the memory, the error of the prediction
/// moves the line by the factor 2 (2n - 1) / (n (n + 1)), and its slope by 6 / (n (n + 1)). This is the least-squares line through the n
/// ticks. The memory grows to ``longestMemory`` ticks. From then on the line follows slow changes of the tempo.
///
/// A stamp has several explanations (``Event``). Each explanation has a cost: the negative logarithm of its probability. The prediction
/// error of a tick is normal, with the variance of the last errors. The other events have constant costs, because their frequency is
/// unknown.
struct TickHypothesis {
  /// The line at the number of the last stamp, in nanoseconds since the first stamp of the run.
  private(set) var level = 0.0
  /// The slope of the line in nanoseconds per tick.
  private(set) var period: Double
  /// The sum of the costs, minus a constant that all hypotheses share.
  var cost: Double
  /// The number of the last stamp, from 0 in each run.
  private(set) var number = 0
  /// The error of the prediction of the last stamp, in ticks. For a doubled tick, the distance to the line.
  private(set) var error = 0.0

  /// The number of ticks in the memory of the level and of the slope.
  private var (levelMemory, slopeMemory): (Double, Double)
  /// The variance of the errors of the stamps, in ticks squared, and the number of errors from which it is estimated.
  private var (variance, samples) = (0.04, 2.0)
  /// Whether the last stamp was late by more than half a tick. The line has not followed it.
  private var isLate = false

  /// The longest memory in ticks.
  private static let longestMemory = 64.0
  /// The smallest standard deviation of the errors in ticks. Smaller errors say nothing about the number of a tick.
  private static let smallestDeviation = 0.03

  /// Creates the hypothesis at the first stamp of a run.
  ///
  /// - Parameters:
  ///   - period: the length of a tick in nanoseconds.
  ///   - weight: the number of ticks from which `period` is known.
  ///   - cost: the cost of this length.
  init(period: Double, weight: Double, cost: Double) {
    (self.period, self.cost) = (period, cost)
    (levelMemory, slopeMemory) = (1, weight)
  }

  /// An explanation of a stamp.
  enum Event {
    /// The next tick.
    case tick
    /// The next tick. The line does not follow it: it is an outlier, or it is late by more than half a tick.
    case outlier
    /// The next tick, after the phase has changed. The slope of the line remains.
    case phaseStep
    /// The next tick, after the tempo has changed.
    case tempoStep
    /// A tick after missing ticks, with its distance from the previous stamp in ticks.
    case gap(Int)
    /// As ``gap(_:)``, and the phase has changed during the gap.
    case gapWithStep(Int)
    /// The same tick again.
    case repetition
  }

  // The costs of the events.
  private static let outlierCost = 4.0
  /// The cost of a late tick, and of another late tick less than half a tick after it. Late ticks often come together.
  private static let (lateCost, nextLateCost) = (13.0, 3.0)
  /// The cost of a step without an error, for each tick of the error, and for each tick beyond half a tick.
  private static let (stepCost, stepErrorCost, longStepCost) = (6.0, 8.0, 40.0)
  /// The cost of missing ticks, and for each missing tick.
  private static let (gapCost, gapLengthCost) = (9.0, 0.02)
  /// The cost of a repetition.
  private static let repetitionCost = 10.0
  /// The largest number of ticks from one stamp to the next. Late ticks can precede a gap, so it is more than ``TickNumbering`` permits
  /// between two stamps.
  static let longestAdvance = 1000
  /// The latest repetition of a tick, in ticks after it.
  private static let latestRepetition = 0.6
  /// The cost, for each tick, of an interval that is more than half a tick too short for a gap or too long for a repetition. The line lags
  /// behind a change of the tempo, but the interval does not.
  private static let intervalCost = 10.0
  /// The largest error of a tick after missing ticks, in ticks.
  private static let largestGapError = 0.75

  /// Calls `body` with each event that explains the stamp, and the sum of the costs with this event.
  ///
  /// - Parameters:
  ///   - time: the stamp in nanoseconds since the first stamp of the run.
  ///   - interval: the time since the previous stamp in nanoseconds.
  func forEachEvent(at time: Double, interval: Double, _ body: (Event, Double) -> Void) {
    let position = (time - level) / period
    let error = position - 1
    let variance = predictionVariance
    let base = cost + log(variance) / 2
    func normal(_ error: Double) -> Double { error * error / (2 * variance) }
    body(.tick, base + normal(error))
    if abs(error) < 0.5 {
      body(.outlier, base + Self.outlierCost)
    } else if error > 0 {
      let follows = isLate && interval < period / 2
      body(.outlier, base + (follows ? Self.nextLateCost : Self.lateCost))
    }
    let excess = abs(error) - 0.5
    if excess < 0.5 {
      let cost = base + Self.stepCost + Self.stepErrorCost * abs(error) + Self.longStepCost * max(excess, 0)
      body(.phaseStep, cost)
      body(.tempoStep, cost)
    }
    // After a late tick, the ticks come at once. If ticks are missing after it, they were missing before it, and it was not late.
    let gapCost = Self.gapCost + (isLate ? Self.lateCost : 0)
    let nearest = Int(position.rounded())
    for advance in max(nearest - 1, 2)...max(nearest + 1, 2) where advance <= Self.longestAdvance {
      let error = position - Double(advance)
      guard abs(error) < Self.largestGapError else { continue }
      let shortness = Double(advance) - 0.5 - interval / period
      let cost = base + gapCost + Self.gapLengthCost * Double(advance) + Self.intervalCost * max(shortness, 0)
      body(.gap(advance), cost + normal(error))
      body(.gapWithStep(advance), cost + Self.stepCost + Self.stepErrorCost * abs(error))
    }
    if position < Self.latestRepetition {
      let length = interval / period - 0.5
      body(.repetition, base + Self.repetitionCost + max(position, 0) * position + Self.intervalCost * max(length, 0))
    }
  }

  /// Returns the hypothesis after a stamp.
  ///
  /// - Parameters:
  ///   - event: the explanation of the stamp.
  ///   - cost: the sum of the costs.
  ///   - time: the stamp in nanoseconds since the first stamp of the run.
  ///   - limits: the permitted slopes in nanoseconds per tick.
  func after(_ event: Event, cost: Double, at time: Double, limits: ClosedRange<Double>) -> TickHypothesis {
    var result = self
    result.cost = cost
    let error = (time - level) / period - 1
    result.error = error
    result.isLate = false
    switch event {
    case .tick: result.follow(error, advance: 1, limits)
    case .gap(let advance): result.follow(error - Double(advance - 1), advance: advance, limits)
    case .phaseStep: result.step(error, advance: 1, limits)
    case .gapWithStep(let advance): result.step(error - Double(advance - 1), advance: advance, limits)
    case .tempoStep:
      result.slopeMemory = 1
      result.step(error, advance: 1, limits)
      result.levelMemory = 2
    case .outlier:
      result.level += period
      result.number += 1
      result.isLate = error >= 0.5
    case .repetition: result.error = error + 1
    }
    return result
  }

  /// Advances the line to a tick, and moves it by the prediction error of this tick in ticks.
  private mutating func follow(_ error: Double, advance: Int, _ limits: ClosedRange<Double>) {
    let sampleVariance = min(error * error, 1) * (variance / predictionVariance)
    levelMemory = min(levelMemory + 1, Self.longestMemory)
    slopeMemory = min(max(slopeMemory + 1, levelMemory), Self.longestMemory)
    let gain = 2 * (2 * levelMemory - 1) / (levelMemory * (levelMemory + 1))
    level += (Double(advance) + gain * error) * period
    let slope = period * (1 + 6 / (slopeMemory * (slopeMemory + 1)) * error)
    period = min(max(slope, limits.lowerBound), limits.upperBound)
    number += advance
    self.error = error
    samples = min(samples + 1, 32)
    variance = max(variance + (sampleVariance - variance) / samples, Self.smallestDeviation * Self.smallestDeviation)
  }

  /// Begins a new line at a tick. The error of the tick says nothing about the jitter.
  private mutating func step(_ error: Double, advance: Int, _ limits: ClosedRange<Double>) {
    let (variance, samples) = (variance, samples)
    levelMemory = 0
    follow(error, advance: advance, limits)
    (self.variance, self.samples) = (variance, samples)
  }

  /// The variance of the prediction error of the next tick, in ticks squared: that of the tick, that of the mean of the n ticks in the
  /// memory of the level, and that of the slope by m ticks, over the (n + 1) / 2 ticks from the mean to the next tick.
  private var predictionVariance: Double {
    let (n, m) = (levelMemory, slopeMemory)
    return variance * (1 + 1 / n + (n + 1) * (n + 1) / 4 * 12 / (m * (m * m - 1)))
  }

  /// Whether both hypotheses give the last stamp the same number and predict nearly the same ticks.
  func isLike(_ other: TickHypothesis) -> Bool {
    number == other.number && abs(level - other.level) < 0.05 * period && abs(period - other.period) < 0.02 * period
  }
}
