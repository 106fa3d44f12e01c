import Ensemble
import MusicalTime
import Playback
import Testing

/// The ticks that a ``TickCursor`` returns: if its caller is late, if its caller wakes up only for steps, after a change of the run,
/// and with a forged timeline.
@Suite struct TickCursorTests {
  @Test func cursorContinuesAtThePresentTickAfterALongSuspension() {
    let schedule = PlaybackSchedule(
      run: 1, sends: false, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))))
    var cursor = TickCursor(lead: .zero)
    #expect(cursor.take(in: schedule, at: Instant(nanoseconds: 0)) == Tick(0))
    // A tick is due every 20.8 ms. A cursor that is nine seconds late catches up tick by tick.
    #expect(cursor.take(in: schedule, at: Instant(nanoseconds: 9_000_000_000)) == Tick(1))
    // A cursor that is late by more than ``TickCursor/patience``, ten seconds, skips the missed ticks. After an hour, it skips ticks 2
    // to 172 799 (48 per second). The call that skips returns no tick.
    let hour = Instant(nanoseconds: 3_600_000_000_000)
    #expect(cursor.take(in: schedule, at: hour) == nil)
    #expect(cursor.take(in: schedule, at: hour) == Tick(172_800) && cursor.skipped == 172_798)
  }

  /// The caller wakes up only when a step is due. It receives all ticks up to the last step, and each step at its due time.
  @Test func wakingOnlyForStepsReturnsEachStepAtItsDueTime() {
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))
    let schedule = PlaybackSchedule(run: 1, sends: false, start: Tick(4), end: Tick(27), tempo: TempoMap(timeline))
    var cursor = TickCursor(lead: .milliseconds(50))
    var taken: [Int64] = []
    while case let due = cursor.dueStep(in: schedule), due != .distantFuture {
      let step = cursor.next.roundedUpToStep
      #expect(due == schedule.deadline(step) - cursor.lead)
      while let tick = cursor.take(in: schedule, at: due) { taken.append(tick.index) }
      #expect(taken.last == step.index)
    }
    #expect(taken == Array(4...24), "ticks 25 and 26 begin no step")
    while cursor.take(in: schedule, at: schedule.deadline(Tick(30))) != nil {}
    #expect(cursor.next == Tick(27) && cursor.dueStep(in: schedule) == .distantFuture)
  }

  @Test func cursorSkipsTheTicksOfATimelineThatBeginsNearTheMinimumInstant() {
    // A malicious master can send such a timeline message: the next tick is due 292 years in the past.
    let schedule = PlaybackSchedule(
      run: 1, sends: false, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: .min + 1_000_000_000))))
    var cursor = TickCursor(lead: .zero)
    var taken = 0
    for _ in 0..<100 where cursor.take(in: schedule, at: Instant(nanoseconds: 86_400_000_000_000)) != nil { taken += 1 }
    #expect(taken == 0 && cursor.skipped > 0)
  }

  /// The clock thread sees run 5 and then run 7, because run 6 was replaced before the thread read it: a peer has joined a
  /// rhythm and taken it over at once. `began` is the first run of the series of runs that run 7 continues without a gap.
  /// If `began` is 5, runs 5, 6 and 7 are one series, and the cursor continues at tick 100. If `began` is 6 or 7, run 5 is not
  /// part of the series, and the cursor begins at tick 3, the first tick of run 7.
  @Test(arguments: [UInt32(5), 6, 7]) func cursorContinuesItsPositionOnlyWithinASeriesOfRuns(began: UInt32) {
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))
    let old = PlaybackSchedule(run: 5, sends: false, start: Tick(0), end: Tick(.max), tempo: TempoMap(timeline))
    var new = PlaybackSchedule(run: 7, sends: false, start: Tick(3), end: Tick(.max), tempo: TempoMap(timeline))
    new.firstRun = began
    var cursor = TickCursor(lead: .zero)
    for tick in Int64(0)..<100 { #expect(cursor.take(in: old, at: old.deadline(Tick(tick))) == Tick(tick)) }
    #expect(cursor.due(in: new) == new.deadline(Tick(began == 5 ? 100 : 3)))
    #expect(new.continues == (began < 7))
    #expect(new.continuesRun(from: 6) == (began < 7))
    #expect(new.continuesRun(from: 7))
    #expect(
      !new.continuesRun(from: 0) && !new.continuesRun(from: 8),
      "run 7 continues neither run 0 (none) nor the later run 8")
  }

  /// A fill that is announced, or announced no longer, withdraws the ticks from its bar on. A fill whose bar has begun withdraws nothing.
  @Test(
    arguments: [(Tick(.max), Tick(192), Int64(192)), (Tick(192), Tick(.max), 192), (Tick(0), Tick(192), 192)]
      as [(Tick, Tick, Int64)])
  func fillWithdrawsTheTicksOfItsBar(former: Tick, new: Tick, first: Int64) {
    let timeline = Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))
    var old = PlaybackSchedule(run: 1, sends: false, start: Tick(0), end: Tick(.max), tempo: TempoMap(timeline))
    old.fill = former
    var schedule = old
    schedule.fill = new
    let now = old.deadline(Tick(90))
    var cursor = TickCursor(lead: .seconds(5))
    while cursor.take(in: old, at: now) != nil {}
    #expect(cursor.next > Tick(250))
    #expect(cursor.goBack(from: old, to: schedule, at: now) != nil && cursor.next == Tick(first))
    #expect(cursor.goBack(from: schedule, to: schedule, at: now) == nil)
  }
}
