import MusicalTime
import Testing

@testable import Engine

/// Tests of ``TickDepartures``: the instants at which ticks left ahead of their due time. The argument `series` is the series of runs to
/// which the tick belongs, given by the number of its first run.
struct TickDeparturesTests {
  private func instant(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

  @Test func firstDepartureOfATickCounts() {
    var departures = TickDepartures()
    departures.record(Tick(5), series: 1, at: instant(100))
    departures.record(Tick(5), series: 1, at: instant(200))
    #expect(departures.instant(of: Tick(5), series: 1) == instant(100))
    #expect(departures.instant(of: Tick(6), series: 1) == nil)
  }

  /// The last ticks of a rhythm that was cut short have left, but were never due.
  @Test func departureOfAnEarlierRhythmIsNotReported() {
    var departures = TickDepartures()
    departures.record(Tick(5), series: 1, at: instant(100))
    #expect(departures.instant(of: Tick(5), series: 2) == nil)
    departures.record(Tick(5), series: 2, at: instant(900))
    #expect(departures.instant(of: Tick(5), series: 2) == instant(900))
  }

  /// There is room for 256 ticks, so tick 261 replaces tick 5.
  @Test func departureIsForgottenAfter256Ticks() {
    var departures = TickDepartures()
    departures.record(Tick(5), series: 1, at: instant(100))
    departures.record(Tick(261), series: 1, at: instant(200))
    #expect(departures.instant(of: Tick(5), series: 1) == nil)
    #expect(departures.instant(of: Tick(261), series: 1) == instant(200))
  }
}
