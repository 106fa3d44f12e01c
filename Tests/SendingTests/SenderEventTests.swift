import MusicalTime
import Playback
import Sending
import Testing

/// The outputs that are not packets: ticks, steps, the beginning and the end of a run, and recalls. The driver passes them to the
/// sound, the ALSA port and the trace. A tick takes 20 ms, and a step six ticks. A step is reported 50 ms before it is due. A recall
/// withdraws reported steps that are not due yet, because the schedule has changed.
@Suite struct SenderEventTests {
  @Test func ticksStepsBeginningAndEndAreReportedInOrder() {
    let virtual = VirtualSender()
    virtual.sender.adopt(VirtualSender.schedule(sends: false, end: 8), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(500))
    // Step 1 is due at 120 ms and is reported at 70 ms, between tick 3 (60 ms) and tick 4 (80 ms).
    #expect(
      virtual.events == ["step 0", "begin 0", "tick 0", "tick 1", "tick 2", "tick 3", "step 1"]
        + ["tick 4", "tick 5", "tick 6", "tick 7", "end"])
    #expect(virtual.nextDeadline == .distantFuture)
  }

  @Test func replacedRunEndsAndItsStepsAreRecalled() {
    let virtual = VirtualSender()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(75))
    virtual.removeEvents()
    let next = VirtualSender.schedule(run: 2, at: VirtualSender.origin + .milliseconds(100))
    virtual.sender.adopt(next, at: virtual.now)
    virtual.advance(to: .milliseconds(75))
    // Step 1 of the first run is due at 120 ms and is reported 50 ms ahead, at 70 ms. This sender has therefore reported it
    // before the new schedule, and its event was removed above. A sender may also report the step while it adopts the
    // schedule.
    #expect(virtual.events == ["step 1", "end", "recall", "step 0"] || virtual.events == ["end", "recall", "step 0"])
  }

  /// A simulated follower does not report ticks, so that it need not wake at each tick.
  @Test func followerThatDoesNotReportTicksWakesForStepsOnly() {
    let virtual = VirtualSender(reportsTicks: false)
    virtual.sender.adopt(VirtualSender.schedule(sends: false, end: 96), at: virtual.now)
    var (next, wakings) = (virtual.advance(to: .milliseconds(-100)), 0)
    while next != .distantFuture {
      next = virtual.advance(to: next - VirtualSender.origin)
      wakings += 1
    }
    // The 96 ticks are 16 steps.
    #expect(virtual.events == (0..<16).map { "step \($0)" })
    #expect(wakings == 16)
  }

  /// The tick cursors of a follower that does not report ticks stand still. When the follower becomes the master, it
  /// does not send the past ticks.
  @Test func followerThatDoesNotReportTicksSendsFromTheCurrentTickWhenItBecomesMaster() {
    let virtual = VirtualSender(reportsTicks: false)
    let device = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(sends: false), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(1870))
    // As master, the peer continues run 1. The device begins at the next bar, with tick 96 at 1920 ms.
    var schedule = VirtualSender.schedule(run: 2)
    schedule.firstRun = 1
    virtual.sender.adopt(schedule, at: virtual.now)
    virtual.play(from: .milliseconds(1870), to: .milliseconds(1930))
    #expect(
      virtual.messages(to: device) == [
        StampedMessage(.songPosition(16), at: 96), StampedMessage(.continue, at: 96), StampedMessage(.clock, at: 96),
      ])
  }
}
