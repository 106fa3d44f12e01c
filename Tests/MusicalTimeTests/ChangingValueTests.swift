import MusicalTime
import Testing
import _TestSupport

/// ``ChangingValue``: a value that changes at a tick.
@Suite struct ChangingValueTests {
  @Test func valueChangesAtItsTick() {
    var value = ChangingValue(1, next: 2, from: Tick(6))
    #expect(value[Tick(5)] == 1 && value[Tick(6)] == 2 && value.isChanging)
    value.settle(at: Tick(5))
    #expect(value.isChanging && value.value == 1)
    value.settle(at: Tick(6))
    #expect(value == ChangingValue(2) && !value.isChanging && value[Tick(0)] == 2)
  }

  /// The first tick at which two values differ equals the result of a search through all ticks.
  @Test(arguments: UInt64(1)...50) func firstDifferingTickMatchesLinearSearch(seed: UInt64) {
    var random = SplitMix(seed: seed)
    /// Returns a value that changes at a tick in -10...30, or never.
    func randomValue() -> ChangingValue<Int64> {
      let change = random.integer(in: -10...40)
      let (value, next) = (random.integer(in: 0...2), random.integer(in: 0...2))
      return change > 30 ? ChangingValue(value) : ChangingValue(value, next: next, from: Tick(change))
    }
    for _ in 0..<200 {
      let (a, b, first) = (randomValue(), randomValue(), random.integer(in: -10...40))
      let expected = (first...50).first { a[Tick($0)] != b[Tick($0)] }
      #expect(a.tick(differingFrom: b, notBefore: Tick(first)) == expected.map { Tick($0) }, "seed \(seed)")
    }
  }
}
