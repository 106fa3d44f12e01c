import Testing

@testable import Audio

@Suite struct FaderTests {
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
    // No step is greater than the 64th part of the change.
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
