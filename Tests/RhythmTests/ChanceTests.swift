import Testing

@testable import Rhythm

/// Tests of the chances of strokes. An independent program has computed the test vectors, which are those of the documentation
/// (Patches.md).
@Suite struct ChanceTests {
  /// The inputs and the result of ``Chance/hash(seed:bar:line:tick:)``.
  struct Vector: Sendable {
    let seed: UInt32
    let bar: Int64
    let line: UInt32
    let tick: UInt32
    let hash: UInt32
  }

  static let vectors = [
    Vector(seed: 0, bar: 0, line: 0, tick: 0, hash: 0xA040_DBE3),
    Vector(seed: 0, bar: 0, line: 0, tick: 6, hash: 0xC81D_6929),
    Vector(seed: 0, bar: 1, line: 0, tick: 0, hash: 0xE8A7_E13D),
    Vector(seed: 0, bar: 0, line: 1, tick: 0, hash: 0xD047_6DEB),
    Vector(seed: 1, bar: 0, line: 0, tick: 0, hash: 0xBA01_739F),
    Vector(seed: .max, bar: -1, line: 63, tick: 767, hash: 0xB7AB_6C0D),
    Vector(seed: 7, bar: 1_000_000, line: 255, tick: 0, hash: 0x5571_9FB5),
  ]

  @Test(arguments: vectors) func hashMatchesTheTestVector(vector: Vector) {
    #expect(Chance.hash(seed: vector.seed, bar: vector.bar, line: vector.line, tick: vector.tick) == vector.hash)
  }

  /// Of 100 * 10 * 16 = 16 000 places, one percent are 160. The tolerance of 200 places, 1.25 percentage points, is more than three
  /// standard deviations.
  @Test(arguments: [1, 30, 50, 99]) func shareOfEventsIsTheChance(percent: Int) {
    var count = 0
    for bar in Int64(0)..<100 {
      for line in UInt32(0)..<10 {
        for tick in stride(from: UInt32(0), to: 96, by: 6)
        where Chance.happens(percent, Chance.hash(seed: 3, bar: bar, line: line, tick: tick)) {
          count += 1
        }
      }
    }
    #expect(abs(count - 160 * percent) <= 200, "\(count)")
  }

  @Test func certaintyAndImpossibilityHoldForEveryHash() {
    for hash in [0, 1, UInt32.max / 2, .max] {
      #expect(Chance.happens(100, hash) && !Chance.happens(0, hash))
    }
  }
}
