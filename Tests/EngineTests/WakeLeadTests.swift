import MusicalTime
import Testing

@testable import Engine

/// Tests of ``WakeLead``: how long before a deadline the clock thread wakes. The wake lead follows the 99.9 % quantile of the wake-up
/// times, and is limited to 20...200 us.
struct WakeLeadTests {
  /// Notes `count` wake-ups. Of `rare` wake-ups, one takes `slow`, and the others take 8 us.
  private func note(_ count: Int, rare: Int, slow: Nanoseconds, in lead: inout WakeLead) {
    for number in 1...count {
      let wake = Instant(nanoseconds: Int64(number) * 5_000_000)
      lead.note(woken: wake + (number % rare == 0 ? slow : .microseconds(8)), after: wake)
    }
  }

  @Test func leadReachesTheMinimumOnAFastMachine() {
    var lead = WakeLead()
    #expect(lead.value == WakeLead.maximum)
    note(20_000, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value == WakeLead.minimum)
  }

  @Test func leadCoversAWakeUpTimeThatOccursOnceInFiveHundred() {
    var lead = WakeLead()
    note(60_000, rare: 500, slow: .microseconds(100), in: &lead)
    #expect(lead.value > .microseconds(90) && lead.value < .microseconds(112))
  }

  @Test func leadIgnoresAWakeUpTimeThatOccursOnceInFiveThousand() {
    var lead = WakeLead()
    note(60_000, rare: 5_000, slow: .microseconds(100), in: &lead)
    #expect(lead.value <= .microseconds(30))
  }

  @Test func leadReturnsToTheMinimumWhenTheMachineIsFastAgain() {
    var lead = WakeLead()
    note(10_000, rare: 100, slow: .microseconds(150), in: &lead)
    #expect(lead.value > .microseconds(140))
    note(20_000, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value == WakeLead.minimum)
  }

  @Test func leadHasAMaximum() {
    var lead = WakeLead()
    note(10_000, rare: 10, slow: .milliseconds(5), in: &lead)
    #expect(lead.value <= WakeLead.maximum && lead.value > .microseconds(190))
  }

  /// The bell wakes the thread before the instant for which it waited.
  @Test func ringOfTheBellDoesNotChangeTheLead() {
    var lead = WakeLead()
    note(1_000, rare: 2, slow: .microseconds(100), in: &lead)
    let before = lead.value
    for _ in 0..<100_000 { lead.note(woken: Instant(nanoseconds: 1_000_000), after: Instant(nanoseconds: 2_000_000)) }
    #expect(lead.value == before)
  }
}
