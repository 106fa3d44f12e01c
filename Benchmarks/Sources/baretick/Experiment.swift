import Foundation
import Seeds

/// Ticks at 120 BPM, then at 140, each late by |N(0, 1 ms)|, and perhaps one in twenty lost: what a follower makes of them.
struct Experiment {
  static let steady = 1000
  static let after = 300

  struct Outcome {
    /// Standard deviation of the phase at 120 BPM, from the 200th tick on, milliseconds.
    var deviation = 0.0
    /// Ticks after the step until the tempo is within 0.5 BPM of 140 for good; nil when it never is.
    var settled: Int?
    /// The largest error of phase after the step, its mean before left out, milliseconds.
    var worst = 0.0
    /// By how many ticks the count is off in the end.
    var slipped = 0
    /// Error of phase after each tick that came, milliseconds, by seconds from the step.
    var errors: [(at: Double, error: Double)] = []
  }

  let outcome: Outcome

  init(_ contender: Contender, seed: UInt64, loss: Double) {
    var (random, losses) = (SplitMix(seed: seed), SplitMix(seed: seed &+ 1000))
    var follower = contender.follower(interval: 60 / 120.0 / 24)
    var outcome = Outcome()
    var steady: [Double] = []
    var due = 0.0
    var offset: Int?
    var last = 0
    let step = Double(Self.steady) * 60 / 120 / 24
    for n in 0..<Self.steady + Self.after {
      due += 60 / (n < Self.steady ? 120.0 : 140) / 24
      // Box and Muller's transform.
      let (u, v) = (1 - Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
      let arrival = due + abs((-2 * log(u)).squareRoot() * cos(2 * .pi * v)) * 1e-3
      if Double.random(in: 0..<1, using: &losses) < loss { continue }
      follower.hear(arrival)
      if n >= 100, offset == nil { offset = n - follower.count }
      last = n - follower.count - (offset ?? 0)
      let error = (follower.phase - due) * 1e3
      outcome.errors.append((due - step, error))
      if n < Self.steady {
        if n >= 200 { steady.append(error) }
        continue
      }
      let mean = steady.reduce(0, +) / Double(steady.count)
      outcome.worst = max(outcome.worst, abs(error - mean))
      if abs(60 / follower.interval / 24 - 140) > 0.5 { outcome.settled = n - Self.steady + 1 }
    }
    let mean = steady.reduce(0, +) / Double(steady.count)
    outcome.deviation = (steady.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(steady.count)).squareRoot()
    if outcome.settled ?? 0 >= Self.after - 10 { outcome.settled = nil } else { outcome.settled = outcome.settled ?? 0 }
    outcome.slipped = last
    self.outcome = outcome
  }
}
