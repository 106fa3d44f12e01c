import Foundation
import Seeds
import Testing

@testable import ClockSync

/// How well the line along the floor says that it is known.
@Suite struct FloorClockTests {
  /// Delays of a floor and a tail of 200 us on the mean. What the slope is off, where one direction has been heard for fifteen
  /// seconds and the other in this part of them, is no more than is said of it, and that is no more than ten times as much.
  @Test(arguments: [0.0...15, 10...15, 14...15, 0...5, 0...1]) func theSlopeIsNoWorseThanItSays(
    heard: ClosedRange<Double>
  ) {
    var (error, said) = (0.0, 0.0)
    let count = 40
    for seed in UInt64(1)...UInt64(count) {
      var random = SplitMix(seed: seed)
      func delay() -> Double { 1e6 - 2e5 * log(Double(random.integer(in: 1...1_000_000_000)) / 1e9) }
      var floor = MinimumDelayFilter()
      for n in 0..<750 {
        let moment = Double(n) / 50
        floor.add(delay(), isOut: true, at: moment)
        if heard.contains(moment) { floor.add(-delay(), isOut: false, at: moment + 0.001) }
      }
      let isFitted = floor.fit(at: 15)
      #expect(isFitted)
      // The clocks do not differ at all.
      error += floor.skew * floor.skew
      let bend = MinimumDelayFilter.drift * 100 * MinimumDelayFilter.span
      said += (floor.variance(at: 115) - floor.variance(at: 15) - bend * bend) / 10_000
    }
    let (off, claimed) = ((error / Double(count)).squareRoot(), (said / Double(count)).squareRoot())
    #expect((off...10 * off).contains(claimed), "off by \(off) ns a second, said \(claimed)")
  }
}
