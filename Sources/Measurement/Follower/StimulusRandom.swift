import Foundation

/// The random number generator for the jitter and the lost ticks of a ``FollowerStimulus``: SplitMix64 (G. Steele, D. Lea and C. Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// The same seed always gives the same numbers.
struct StimulusRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Returns a normally distributed number with mean 0 and standard deviation 1 (G. Box and M. Muller, "A note on the generation of random
  /// normal deviates", 1958). A number whose magnitude exceeds `limit` is drawn again.
  mutating func normal(limit: Double) -> Double {
    while true {
      let radius = (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &self))).squareRoot()
      let value = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
      if abs(value) <= limit { return value }
    }
  }
}
