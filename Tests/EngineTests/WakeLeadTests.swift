import MusicalTime
import Testing

@testable import Engine

/// Tests of ``WakeLead``: how long before a deadline the clock thread wakes. The wake lead follows the 99.99 % quantile of the
/// wake-up times, and is limited to 20...200 us. It begins at 200 us and falls by 128 ns with each wake-up at first, and by half as much
/// after each 2048 wake-ups, finally by 1 ns. A wake-up time above the lead increases it.
struct WakeLeadTests {
  /// Notes `count` wake-ups. Every wake-up whose number is a multiple of `rare` takes `slow`. The others take 8 us.
  private func note(_ count: Int, rare: Int, slow: Nanoseconds, in lead: inout WakeLead) {
    for number in 1...count {
      let wake = Instant(nanoseconds: Int64(number) * 5_000_000)
      lead.record(woken: wake + (number % rare == 0 ? slow : .microseconds(8)), after: wake)
    }
  }

  /// 104 wake-ups per second at 120 BPM.
  @Test func leadReachesTheMinimumInAQuarterOfAMinuteOnAFastMachine() {
    var lead = WakeLead()
    #expect(lead.value == WakeLead.maximum)
    note(15 * 104, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value == WakeLead.minimum)
  }

  /// One slow wake-up must not cost the processor time of minutes.
  @Test func oneSlowWakeUpIncreasesTheLeadOnlyAsFarAsNecessary() {
    var lead = WakeLead()
    note(15 * 104, rare: 2, slow: .microseconds(17), in: &lead)
    note(1, rare: 1, slow: .microseconds(60), in: &lead)
    #expect(lead.value == .microseconds(70))
    note(60 * 104, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value < .microseconds(30))
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

  /// A slow wake-up in each hundred keeps the lead above its time from the start.
  @Test func leadStaysAboveWakeUpTimesThatAreFrequent() {
    var lead = WakeLead()
    for second in 1...200 {
      note(104, rare: 50, slow: .microseconds(150), in: &lead)
      #expect(lead.value > .microseconds(140), "second \(second)")
    }
  }

  @Test func leadReturnsToTheMinimumWhenTheMachineIsFastAgain() {
    var lead = WakeLead()
    note(20_000, rare: 100, slow: .microseconds(150), in: &lead)
    #expect(lead.value > .microseconds(140))
    note(200_000, rare: 2, slow: .microseconds(17), in: &lead)
    #expect(lead.value == WakeLead.minimum)
  }

  @Test func leadHasAMaximum() {
    var lead = WakeLead()
    note(10_000, rare: 10, slow: .milliseconds(5), in: &lead)
    #expect(lead.value <= WakeLead.maximum && lead.value > .microseconds(190))
  }

  @Test func leadBeginsWithTwiceThatOfTheLastPeer() {
    #expect(WakeLead(last: .microseconds(30)).value == .microseconds(60))
    #expect(WakeLead(last: .microseconds(3)).value == WakeLead.minimum)
    #expect(WakeLead(last: .milliseconds(700)).value == WakeLead.maximum)
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
