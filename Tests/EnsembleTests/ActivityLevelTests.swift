import Ensemble
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// The smoothed activity of one player, from settings and notes, and the rules that combine several activities.
@Suite struct ActivityLevelTests {
  private let start = Instant(nanoseconds: -7_000_000_000)

  @Test func timeConstantIs300Milliseconds() {
    var level = ActivityLevel()
    level.set(100, at: start)
    // The filter takes a step every 50 ms, the first one at once. After n steps, the level is 100 * (1 - e^(-50 n / 300)). The four cases
    // have 1, 6, 18 and 40 steps.
    for (milliseconds, expected) in [(0, 15), (250, 63), (850, 95), (1950, 100)] {
      level.advance(to: start + .milliseconds(Int64(milliseconds)))
      #expect(level.value == UInt8(expected), "after \(milliseconds) ms")
    }
    level.set(0, at: start + .seconds(8))
    level.advance(to: start + .milliseconds(8250))
    // Six steps after the change to 0: 100 * e^-1.
    #expect(level.value == 37)
    level.advance(to: start + .seconds(14))
    #expect(level.value == 0 && level.nextDeadline == .distantFuture)
  }

  @Test func outputReachesTheSetValueExactlyAndStaysConstant() {
    for target in UInt8(0)...127 {
      var level = ActivityLevel(64)
      level.set(target, at: start)
      // The output becomes constant within 100 steps, or 5 s. The limit of 200 ends the loop if it never does.
      var steps = 0
      while level.nextDeadline != .distantFuture, steps < 200 {
        level.advance(to: level.nextDeadline)
        steps += 1
      }
      #expect(level.value == target && steps < 100, "\(target)")
    }
    #expect(ActivityLevel(255).value == 127)
  }

  /// `rate` is the number of notes per second. Eight or more notes per second count as 127, so one note per second counts as about 16. The
  /// tolerance is half of this.
  @Test(arguments: [(1, 15), (4, 63), (8, 127), (30, 127)]) func noteDensityDeterminesTheLevel(
    rate: Int64, expected: Int
  ) {
    var level = ActivityLevel()
    var now = start
    for _ in 0..<5 * rate {
      level.played(at: now)
      now = now + Nanoseconds(1_000_000_000 / rate)
    }
    #expect(abs(Int(level.value) - expected) <= 8, "\(rate) notes per second")
    level.advance(to: now + .seconds(7))
    #expect(level.value == 0 && level.nextDeadline == .distantFuture)
  }

  @Test func notesAddToTheSetValueUpTo127() {
    var level = ActivityLevel(100)
    for n in 0..<40 { level.played(at: start + .milliseconds(Int64(n) * 100)) }
    #expect(level.value == 127)
  }

  /// The value does not depend on when ``ActivityLevel/advance(to:)`` is called. Two changes of the value are at least 50 ms
  /// apart.
  @Test(arguments: UInt64(1)...50) func valueDependsOnlyOnNotesAndSettings(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var (rarelyAdvanced, oftenAdvanced) = (ActivityLevel(), ActivityLevel())
    var now = start
    var lastChange: Instant?
    for _ in 0..<300 {
      let next = now + .milliseconds(random.integer(in: 0...300))
      var value = oftenAdvanced.value
      while now < next {
        now = now + .milliseconds(1)
        oftenAdvanced.advance(to: now)
        guard oftenAdvanced.value != value else { continue }
        if let lastChange { #expect(now - lastChange >= ActivityLevel.step, "seed \(seed)") }
        (lastChange, value) = (now, oftenAdvanced.value)
      }
      if random.integer(in: 0...1) == 0 {
        rarelyAdvanced.played(at: now)
        oftenAdvanced.played(at: now)
      } else {
        let setting = UInt8(random.integer(in: 0...127))
        rarelyAdvanced.set(setting, at: now)
        oftenAdvanced.set(setting, at: now)
      }
      #expect(rarelyAdvanced.value == oftenAdvanced.value, "seed \(seed)")
      if oftenAdvanced.value != value { lastChange = now }
    }
  }

  /// The mean is rounded to an integer: 10.5 to 11, and 31.75 to 32. A total is at most 127.
  @Test func rulesCombineLevelsIntoATotal() {
    #expect(TotalActivityRule.sum.total(of: [40, 50]) == 90)
    #expect(TotalActivityRule.sum.total(of: Array(repeating: 127, count: 1000)) == 127)
    #expect(TotalActivityRule.mean.total(of: [10, 11]) == 11)
    #expect(TotalActivityRule.mean.total(of: [127, 0, 0, 0]) == 32)
    #expect(TotalActivityRule.maximum.total(of: [3, 90, 14]) == 90)
    for rule in TotalActivityRule.allCases { #expect(rule.total(of: []) == 0 && rule.total(of: [255]) == 127) }
  }
}
