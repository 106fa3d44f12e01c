import Ensemble
import MusicalTime
import Playback
import Testing

@Suite struct PlanCursorTests {
  @Test func aSleeperOfHoursGoesOnAtThePresent() {
    let schedule = PlaybackSchedule(
      run: 1, sends: false, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0)))
    var cursor = TickCursor(lead: .zero)
    #expect(cursor.take(in: schedule, at: Instant(nanoseconds: 0)) == Tick(0))
    // Nine seconds late: caught up one by one.
    #expect(cursor.take(in: schedule, at: Instant(nanoseconds: 9_000_000_000)) == Tick(1))
    // An hour late: 48 ticks a second passed over.
    let hour = Instant(nanoseconds: 3_600_000_000_000)
    #expect(cursor.take(in: schedule, at: hour) == nil)
    #expect(cursor.take(in: schedule, at: hour) == Tick(172_800) && cursor.skipped == 172_798)
  }

  /// Who is woken for steps alone takes the same ticks, each step at its moment.
  @Test func wokenForStepsItTakesEachAtItsMoment() {
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))
    let schedule = PlaybackSchedule(run: 1, sends: false, start: Tick(4), end: Tick(27), timeline: timeline)
    var cursor = TickCursor(lead: .milliseconds(50))
    var taken: [Int64] = []
    while case let due = cursor.dueStep(in: schedule), due != .distantFuture {
      let step = cursor.next.roundedUpToStep
      #expect(due == schedule.deadline(step) - cursor.lead)
      while let tick = cursor.take(in: schedule, at: due) { taken.append(tick.index) }
      #expect(taken.last == step.index)
    }
    #expect(taken == Array(4...24), "25 and 26 begin no step")
    while cursor.take(in: schedule, at: schedule.deadline(Tick(30))) != nil {}
    #expect(cursor.next == Tick(27) && cursor.dueStep(in: schedule) == .distantFuture)
  }

  @Test func aTimelineAtTheBeginningOfTimeIsNotCaughtUpWith() {
    // As a hostile master can say it: what it says next puts the tick that comes next 292 years back.
    let schedule = PlaybackSchedule(
      run: 1, sends: false, start: Tick(0), end: Tick(.max),
      timeline: Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: .min + 1_000_000_000)))
    var cursor = TickCursor(lead: .zero)
    var taken = 0
    for _ in 0..<100 where cursor.take(in: schedule, at: Instant(nanoseconds: 86_400_000_000_000)) != nil { taken += 1 }
    #expect(taken == 0 && cursor.skipped > 0)
  }

  /// A rhythm was joined, and its master's place taken at once: the clock thread sees the third run after the first.
  @Test(arguments: [UInt32(5), 6, 7]) func whatItHasNotSeenItDoesNotGoOnFrom(began: UInt32) {
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))
    let old = PlaybackSchedule(run: 5, sends: false, start: Tick(0), end: Tick(.max), timeline: timeline)
    var new = PlaybackSchedule(run: 7, sends: false, start: Tick(3), end: Tick(.max), timeline: timeline)
    new.began = began
    var cursor = TickCursor(lead: .zero)
    for tick in Int64(0)..<100 { #expect(cursor.take(in: old, at: old.deadline(Tick(tick))) == Tick(tick)) }
    #expect(cursor.due(in: new) == new.deadline(Tick(began == 5 ? 100 : 3)))
    #expect(new.continues == (began != 7) && new.goesOn(from: 6) == (began < 7) && new.goesOn(from: 7))
    #expect(!new.goesOn(from: 0) && !new.goesOn(from: 8), "neither from none nor from one to come")
  }
}
