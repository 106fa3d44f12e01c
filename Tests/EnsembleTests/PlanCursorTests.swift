import Ensemble
import MusicalTime
import Testing

@Suite struct PlanCursorTests {
  @Test func aSleeperOfHoursGoesOnAtThePresent() {
    let plan = Plan(
      run: 1, sends: false, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0)))
    var cursor = PlanCursor(lead: .zero)
    #expect(cursor.take(in: plan, at: Instant(nanoseconds: 0)) == Tick(0))
    // Nine seconds late: caught up one by one.
    #expect(cursor.take(in: plan, at: Instant(nanoseconds: 9_000_000_000)) == Tick(1))
    // An hour late: 48 ticks a second passed over.
    let hour = Instant(nanoseconds: 3_600_000_000_000)
    #expect(cursor.take(in: plan, at: hour) == nil)
    #expect(cursor.take(in: plan, at: hour) == Tick(172_800) && cursor.skipped == 172_798)
  }
}
