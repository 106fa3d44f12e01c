import Foundation
import Seeds
import Testing

@testable import ClockSync

/// How well the line along the floor says that it is known.
@Suite struct FloorClockTests {
  /// Delays of a floor and a tail of 200 us on the mean. What the slope is off, where one direction has been heard for fifteen
  /// seconds and the other for `length`, is no more than is said of it.
  @Test(arguments: [15.0, 5, 1]) func theSlopeIsNoWorseThanItSays(length: Double) {
    var (error, said) = (0.0, 0.0)
    let count = 40
    for seed in UInt64(1)...UInt64(count) {
      var random = SplitMix(seed: seed)
      func delay() -> Double { 1e6 - 2e5 * log(Double(random.integer(in: 1...1_000_000_000)) / 1e9) }
      var floor = FloorClock()
      for n in 0..<750 {
        let moment = Double(n) / 50
        floor.add(delay(), isOut: true, at: moment)
        if moment >= 15 - length { floor.add(-delay(), isOut: false, at: moment + 0.001) }
      }
      let isFitted = floor.fit(at: 15)
      #expect(isFitted)
      // The clocks do not differ at all.
      error += floor.skew * floor.skew
      said += (floor.variance(at: 115) - floor.variance(at: 15)) / 10_000
    }
    let (off, claimed) = ((error / Double(count)).squareRoot(), (said / Double(count)).squareRoot())
    #expect(off <= claimed, "off by \(off) ns a second, said \(claimed)")
  }
}
