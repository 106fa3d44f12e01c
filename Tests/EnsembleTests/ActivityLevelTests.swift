import Ensemble
import MusicalTime
import Testing
import _TestSupport

@Suite struct ActivityLevelTests {
  private let start = Instant(nanoseconds: -7_000_000_000)

  @Test func aChangeComesAboutWithATimeConstantOf300Milliseconds() {
    var level = ActivityLevel()
    level.set(100, at: start)
    // The first step is taken at once, so n milliseconds later n / 50 + 1 have been.
    for (milliseconds, expected) in [(0, 15), (250, 63), (850, 95), (1950, 100)] {
      level.advance(to: start + .milliseconds(Int64(milliseconds)))
      #expect(level.value == UInt8(expected), "after \(milliseconds) ms")
    }
    level.set(0, at: start + .seconds(8))
    level.advance(to: start + .milliseconds(8250))
    #expect(level.value == 37)
    level.advance(to: start + .seconds(14))
    #expect(level.value == 0 && level.nextDeadline == .distantFuture)
  }

  @Test func itComesExactlyToWhatIsSetAndRests() {
    for goal in UInt8(0)...127 {
      var level = ActivityLevel(64)
      level.set(goal, at: start)
      var steps = 0
      while level.nextDeadline != .distantFuture, steps < 200 {
        level.advance(to: level.nextDeadline)
        steps += 1
      }
      #expect(level.value == goal && steps < 100, "\(goal)")
    }
    #expect(ActivityLevel(255).value == 127)
  }

  @Test(arguments: [(1, 15), (4, 63), (8, 127), (30, 127)]) func notesCountByTheirDensity(rate: Int64, expected: Int) {
    var level = ActivityLevel()
    var now = start
    for _ in 0..<5 * rate {
      level.played(at: now)
      now = now + Nanoseconds(1_000_000_000 / rate)
    }
    #expect(abs(Int(level.value) - expected) <= 8, "\(rate) a second")
    level.advance(to: now + .seconds(7))
    #expect(level.value == 0 && level.nextDeadline == .distantFuture)
  }

  @Test func notesAddToWhatIsSetAndSaturate() {
    var level = ActivityLevel(100)
    for n in 0..<40 { level.played(at: start + .milliseconds(Int64(n) * 100)) }
    #expect(level.value == 127)
  }

  /// When it is looked at makes no difference, and it never changes sooner than 50 ms after it last did.
  @Test(arguments: UInt64(1)...50) func theValueIsAFunctionOfWhatWasPlayed(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var (seldom, often) = (ActivityLevel(), ActivityLevel())
    var now = start
    var changed: Instant?
    for _ in 0..<300 {
      let next = now + .milliseconds(random.integer(in: 0...300))
      var value = often.value
      while now < next {
        now = now + .milliseconds(1)
        often.advance(to: now)
        guard often.value != value else { continue }
        if let changed { #expect(now - changed >= ActivityLevel.step, "seed \(seed)") }
        (changed, value) = (now, often.value)
      }
      let wish = UInt8(random.integer(in: 0...255))
      if wish < 128 {
        seldom.played(at: now)
        often.played(at: now)
      } else {
        seldom.set(wish, at: now)
        often.set(wish, at: now)
      }
      #expect(seldom.value == often.value, "seed \(seed)")
      if often.value != value { changed = now }
    }
  }

  @Test func rulesMakeOneOfMany() {
    #expect(ActivityRule.sum.total(of: [40, 50]) == 90)
    #expect(ActivityRule.sum.total(of: Array(repeating: 127, count: 1000)) == 127)
    #expect(ActivityRule.mean.total(of: [10, 11]) == 11 && ActivityRule.mean.total(of: [127, 0, 0, 0]) == 32)
    #expect(ActivityRule.maximum.total(of: [3, 90, 14]) == 90)
    for rule in ActivityRule.allCases { #expect(rule.total(of: []) == 0 && rule.total(of: [255]) == 127) }
  }
}
