import Testing

@testable import Audio

/// Tests of the loudness of the rhythm, which changes without clicks.
@Suite struct FaderTests {
  /// The gains that `fader` applies to the next `count` frames. All input samples are 1 on the left channel and -1 on the right channel.
  private func apply(_ fader: inout Fader, count: Int = 64) -> [Float] {
    var (left, right) = ([Float](repeating: 1, count: count), [Float](repeating: -1, count: count))
    do {
      var leftSpan = left.mutableSpan
      var rightSpan = right.mutableSpan
      fader.apply(to: &leftSpan, &rightSpan)
    }
    #expect(zip(left, right).allSatisfy { $0 == -$1 })
    return left
  }

  @Test func levelChangesWithoutAClick() {
    var fader = Fader()
    #expect(apply(&fader).allSatisfy { $0 == 1 })
    fader.set(percent: 50)
    let ramp = apply(&fader)
    // The gain is the square of the level: 0.25 at 50 %. The gain falls from 1 to 0.25 in 64 frames, by at most 1/64 of this difference
    // per frame.
    for (a, b) in zip([1] + ramp, ramp) { #expect(a - b < 0.75 / 64 + 1e-5 && a > b) }
    #expect(apply(&fader).allSatisfy { $0 == 0.25 })
    fader.set(percent: 0)
    _ = apply(&fader)
    #expect(apply(&fader).allSatisfy { $0 == 0 })
    fader.set(percent: 100)
    _ = apply(&fader)
    #expect(apply(&fader).allSatisfy { $0 == 1 })
  }
}
