import MusicalTime
import Testing

@testable import Engine

/// Tests of ``WakeLead``: how long before a deadline the clock thread wakes. The wake lead follows the 99.99 % quantile of the
/// wake-up times, and is limited to 20...200 us. It begins at 200 us. A wake-up time above the lead increases it by 10 us, and any other
/// wake-up time decreases it by 1 ns. Therefore the lead needs 180 000 wake-ups to fall from 200 us to 20 us.
struct WakeLeadTests {
  /// Notes `count` wake-ups. Every wake-up whose number is a multiple of `rare` takes `slow`. The others take 8 us.
  private func note(_ count: Int, rare: Int, slow: Nanoseconds, in lead: inout WakeLead) {
    for number in 1...count {
      let wake = Instant(nanoseconds: Int64(number) * 5_000_000)
      lead.record(woken: wake + (number % rare == 0 ? slow : .microseconds(8)), after: wake)
    }
  }

  @Test func leadReachesTheMinimumOnAFastMachine() {
    var lead = WakeLead()
    #expect(lead.value == WakeLead.maximum)
    note(200_000, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value == WakeLead.minimum)
  }

  /// The lead falls by 5 us in 5000 wake-ups. When it is below 100 us, the next slow wake-up increases it by 10 us.
  @Test func leadCoversAWakeUpTimeThatOccursOnceInFiveThousand() {
    var lead = WakeLead()
    note(600_000, rare: 5_000, slow: .microseconds(100), in: &lead)
    #expect(lead.value > .microseconds(90) && lead.value < .microseconds(112))
  }

  /// The lead falls by up to 50 us in 50 000 wake-ups, so it returns to its minimum of 20 us after each increase of 10 us.
  @Test func leadIgnoresAWakeUpTimeThatOccursOnceInFiftyThousand() {
    var lead = WakeLead()
    note(600_000, rare: 50_000, slow: .microseconds(100), in: &lead)
    #expect(lead.value <= .microseconds(30))
  }

  @Test func leadReturnsToTheMinimumWhenTheMachineIsFastAgain() {
    var lead = WakeLead()
    note(10_000, rare: 100, slow: .microseconds(150), in: &lead)
    #expect(lead.value > .microseconds(140))
    note(200_000, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value == WakeLead.minimum)
  }

  @Test func leadHasAMaximum() {
    var lead = WakeLead()
    note(10_000, rare: 10, slow: .milliseconds(5), in: &lead)
    #expect(lead.value <= WakeLead.maximum && lead.value > .microseconds(190))
  }

  /// The bell wakes the thread before the deadline for which the thread waited.
  @Test func ringOfTheBellDoesNotChangeTheLead() {
    var lead = WakeLead()
    note(1_000, rare: 2, slow: .microseconds(100), in: &lead)
    let before = lead.value
    for _ in 0..<100_000 { lead.record(woken: Instant(nanoseconds: 1_000_000), after: Instant(nanoseconds: 2_000_000)) }
    #expect(lead.value == before)
  }
}
