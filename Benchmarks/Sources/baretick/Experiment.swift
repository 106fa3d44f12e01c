import Foundation
import _TestSupport

/// An experiment with one follower. It receives ticks at 120 BPM, and then at 140 BPM. Each tick is late by |N(0, 1 ms)|, and some
/// ticks are lost.
struct Experiment {
  /// The number of ticks at 120 BPM, before the tempo step.
  static let ticksBefore = 1000
  /// The number of ticks at 140 BPM, after the tempo step.
  static let ticksAfter = 300

  /// The result for one follower and one seed.
  struct Outcome {
    /// The standard deviation of the phase error at 120 BPM, from the 200th tick on, in milliseconds.
    var deviation = 0.0
    /// The number of ticks after the step until the tempo stays within 0.5 BPM of 140 BPM; nil if the tempo is still outside in one
    /// of the last eleven ticks.
    var settled: Int?
    /// The largest phase error after the step, relative to the mean before the step, in milliseconds.
    var worst = 0.0
    /// The error of the tick count at the end.
    var slipped = 0
    /// The phase error in milliseconds after each received tick; `at` is in seconds from the step.
    var errors: [(at: Double, error: Double)] = []
  }

  let outcome: Outcome

  init(_ method: FollowerMethod, seed: UInt64, loss: Double) {
    // The losses have a random generator of their own, so that the lateness of the ticks is the same with and without loss.
    var (random, losses) = (SplitMix(seed: seed), SplitMix(seed: seed &+ 1000))
    var follower = method.follower(interval: 60 / 120.0 / 24)
    var outcome = Outcome()
    // The phase errors before the step.
    var steadyErrors: [Double] = []
    // The due time of the tick, in seconds.
    var due = 0.0
    // The number of the tick minus the count of the follower, at the first received tick from tick 100 on. Errors of the count while the
    // follower still settles are thus left out.
    var initialOffset: Int?
    // The same difference at the newest tick, minus `initialOffset`.
    var countError = 0
    let step = Double(Self.ticksBefore) * 60 / 120 / 24
    for n in 0..<Self.ticksBefore + Self.ticksAfter {
      due += 60 / (n < Self.ticksBefore ? 120.0 : 140) / 24
      // A normally distributed lateness by the Box-Muller transform.
      let (u, v) = (1 - Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
      let arrival = due + abs((-2 * log(u)).squareRoot() * cos(2 * .pi * v)) * 1e-3
      if Double.random(in: 0..<1, using: &losses) < loss { continue }
      follower.add(arrival)
      if n >= 100, initialOffset == nil { initialOffset = n - follower.count }
      countError = n - follower.count - (initialOffset ?? 0)
      let error = (follower.phase - due) * 1e3
      outcome.errors.append((due - step, error))
      if n < Self.ticksBefore {
        if n >= 200 { steadyErrors.append(error) }
        continue
      }
      let mean = steadyErrors.reduce(0, +) / Double(steadyErrors.count)
      outcome.worst = max(outcome.worst, abs(error - mean))
      if abs(60 / follower.interval / 24 - 140) > 0.5 { outcome.settled = n - Self.ticksBefore + 1 }
    }
    let mean = steadyErrors.reduce(0, +) / Double(steadyErrors.count)
    let squares = steadyErrors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    outcome.deviation = (squares / Double(steadyErrors.count)).squareRoot()
    // So far, `settled` is the number of ticks up to the last tick whose tempo was outside the limit; nil if there is none.
    if outcome.settled ?? 0 >= Self.ticksAfter - 10 {
      outcome.settled = nil
    } else {
      outcome.settled = outcome.settled ?? 0
    }
    outcome.slipped = countError
    self.outcome = outcome
  }
}
