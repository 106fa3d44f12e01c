import ClockSync
import MusicalTime
import Simulation
import Testing
import _TestSupport

/// Tests of the estimates of remote clocks that are stepped or slewed, run backwards, stand still or show random times. Random input is
/// tested too.
@Suite struct HostileClockTests {
  /// Feeds a `RemoteClock` with 20 s of unmodified packets on `network`, and then with packets whose remote stamps are
  /// modified. The remote clock has a skew of 20 ppm.
  ///
  /// - Parameters:
  ///   - seconds: the length of the test, including the first 20 s.
  ///   - change: returns the modified stamp. `since` is the time since the modification began, in seconds.
  ///   - check: called after each packet, with the estimate and the offset of the unmodified remote clock. `since` is
  ///     negative during the first 20 s.
  private func observe(
    _ network: NetworkModel, seconds: Double = 40, seed: UInt64 = 3,
    changing change: (Instant, _ since: Double) -> Instant,
    check: (RemoteClock, ClockEstimate, _ since: Double, _ trueOffset: Nanoseconds) -> Void
  ) -> RemoteClock {
    var route = VirtualRoute(network)
    route.skew = 20
    var clock = RemoteClock()
    for measurement in route.measurements(seconds: seconds, seed: seed) {
      var transit = measurement.transit
      func since(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e9 - 20 }
      // The true time at which the remote peer made its stamp.
      let stamped = transit.remote - route.difference(at: transit.local)
      if since(stamped) > 0 {
        switch transit.direction {
        case .out: transit.received = change(transit.received, since(stamped))
        case .back: transit.sent = change(transit.sent, since(stamped))
        }
      }
      clock.add(transit, at: measurement.at)
      if let estimate = clock.estimate(at: measurement.at) {
        check(clock, estimate, since(measurement.at), route.difference(at: measurement.at))
      }
    }
    return clock
  }

  /// The remote clock is stepped once, by `step` seconds.
  @Test(arguments: NetworkModel.lab, [-3600.0, -2, -0.1, 0.1, 2, 3600])
  func clockStepIsAcceptedWithinOneSecond(network: NetworkModel, step: Double) {
    let jump = Nanoseconds(Int64(step * 1e9))
    let clock = observe(network) { instant, _ in
      instant + jump
    } check: { _, estimate, since, trueOffset in
      let error = estimate.offset - trueOffset - jump
      if since > 1, error.magnitude >= .milliseconds(3) { Issue.record("\(since) s: \(error)") }
    }
    // The estimate was reset once: it began again with the stepped clock.
    #expect(clock.resets == 1)
  }

  /// The remote clock stands still for 10 s and then shows the right time again. More than 100 packets are rejected.
  @Test(arguments: NetworkModel.lab) func stoppedClockIsNotFollowed(network: NetworkModel) {
    var frozen: Instant?
    let clock = observe(network) { instant, since in
      frozen = frozen ?? instant
      return since < 10 ? frozen! : instant
    } check: { _, estimate, since, trueOffset in
      // The estimate is accurate from the fifth second on, 15 s before the clock stops. It remains so while the clock stands
      // still and afterwards.
      let error = estimate.offset - trueOffset
      if since >= -15, error.magnitude >= .milliseconds(5) { Issue.record("\(since) s: \(error)") }
    }
    #expect(clock.rejected > 100)
  }

  /// For 10 s, each stamp of the remote clock has a random error of up to 5 s. More than 100 packets are rejected. The
  /// estimate is accurate from the fifth second on, which is 15 s before the first wrong stamp.
  @Test(arguments: NetworkModel.lab) func randomClockIsNotFollowed(network: NetworkModel) {
    var random = VirtualRoute.Random(seed: 9)
    let clock = observe(network) { instant, since in
      since < 10 ? instant + Nanoseconds(random.integer(in: -5_000_000_000...5_000_000_000)) : instant
    } check: { _, estimate, since, trueOffset in
      let error = estimate.offset - trueOffset
      if since >= -15, error.magnitude >= .milliseconds(5) { Issue.record("\(since) s: \(error)") }
    }
    #expect(clock.rejected > 100)
  }

  /// For 5 s, the remote clock runs backwards: its error grows by 2 s per second. Then it runs at the right rate, 10 s
  /// behind.
  @Test(arguments: NetworkModel.lab) func clockThatRanBackwardsIsFollowedAgainWithinTwoSeconds(
    network: NetworkModel
  ) {
    let clock = observe(network) { instant, since in
      since < 5 ? instant - Nanoseconds(Int64(2e9 * since)) : instant - .seconds(10)
    } check: { _, estimate, since, trueOffset in
      // The limit of the error applies from two seconds after the clock has begun to run forwards again.
      let error = estimate.offset - trueOffset + .seconds(10)
      if since > 7, error.magnitude >= .milliseconds(5) { Issue.record("\(since) s: \(error)") }
    }
    #expect(clock.rejected > 10 && clock.resets >= 1)
  }

  @Test(arguments: NetworkModel.lab) func slewedClockIsFollowed(network: NetworkModel) {
    // The clock is slewed by 500 ppm (500 000 ns per second) for five seconds, as by adjtime. The error is less than 3
    // ms, and less than 0.6 ms from the tenth second after the end of the slew.
    _ = observe(network) { instant, since in
      instant + Nanoseconds(Int64(min(since, 5) * 500_000))
    } check: { _, estimate, since, trueOffset in
      let error = estimate.offset - trueOffset - Nanoseconds(Int64(min(max(0, since), 5) * 500_000))
      if since > 0, error.magnitude >= (since > 15 ? .microseconds(600) : .milliseconds(3)) {
        Issue.record("\(since) s: \(error)")
      }
    }
  }

  /// The clock is slewed by 500 ppm for 40 s.
  @Test(arguments: NetworkModel.lab) func longSlewIsReported(network: NetworkModel) {
    var (isReportedBefore, isReported) = (false, false)
    _ = observe(network, seconds: 60) { instant, since in
      instant + Nanoseconds(Int64(since * 500_000))
    } check: { clock, _, since, _ in
      if since < 0 { isReportedBefore = isReportedBefore || clock.isSlewed }
      if since > 0 { isReported = isReported || clock.isSlewed }
    }
    #expect(!isReportedBefore && isReported)
  }

  @Test(arguments: [-3600.0, -0.5, 0.5, 3600]) func clockStepIsAcceptedWithRarePackets(step: Double) {
    // The clock is compared every 10.3 s, about as often as the clock of a standard device. It is stepped once after 50
    // comparisons, as by NTP. 15 comparisons later, the estimate is right. The delay is 300 us in both directions, and
    // the unit of the remote stamps is 100 us.
    var clock = RemoteClock()
    for n in Int64(0)...70 {
      let sent = Instant(nanoseconds: n * 10_300_000_000)
      let jump = n < 50 ? Nanoseconds.zero : Nanoseconds(Int64(step * 1e9))
      let (stamp, received) = (sent + .microseconds(300) + jump, sent + .microseconds(600))
      clock.add(ClockTransit(.out, sent: sent, received: stamp, resolution: .microseconds(100)), at: received)
      clock.add(ClockTransit(.back, sent: stamp, received: received, resolution: .microseconds(100)), at: received)
      if n >= 65 { #expect((clock.estimate(at: received)!.offset - jump).magnitude < .milliseconds(1), "\(n)") }
    }
    #expect(clock.resets == 1)
  }

  @Test(arguments: NetworkModel.lab) func clockStepIsAcceptedWithOneProbePerSecond(network: NetworkModel) {
    // One probe per second in each direction, as with more than a thousand followers. After 30 of 60 s, the remote
    // clock is stepped by an hour.
    var route = VirtualRoute(network)
    route.probes = (1, 1)
    var clock = RemoteClock()
    for measurement in route.measurements(seconds: 60, seed: 1) {
      var transit = measurement.transit
      if transit.local > Instant(nanoseconds: 30_000_000_000) {
        switch transit.direction {
        case .out: transit.received = transit.received + .seconds(3600)
        case .back: transit.sent = transit.sent + .seconds(3600)
        }
      }
      clock.add(transit, at: measurement.at)
    }
    let end = Instant(nanoseconds: 60_000_000_000)
    #expect((clock.estimate(at: end)!.offset - .seconds(3600)).magnitude < .milliseconds(5))
    #expect(clock.resets == 1)
  }

  @Test func delayedFirstReplyAndFloodDoNotChangeTheSkew() {
    // The first request is answered after 9.9 s. This delay can be in either direction, so the offset is uncertain by
    // half of the delay. The flood of 50 000 returning packets, one every 100 us, does not reduce this uncertainty. The
    // skew remains below 10 ppm.
    var random = VirtualRoute.Random(seed: 1)
    var clock = RemoteClock()
    let requested = Instant(nanoseconds: 1_000_000_000_000)
    var now = requested + .milliseconds(9900)
    clock.add(ClockTransit(.out, sent: requested, received: now), at: now)
    clock.add(ClockTransit(.back, sent: now, received: now), at: now)
    for _ in 0..<50_000 {
      now = now + .microseconds(100)
      let arrival = now + Nanoseconds(random.integer(in: 100_000...200_000))
      clock.add(ClockTransit(.back, sent: now, received: arrival), at: arrival)
    }
    #expect(abs(clock.estimate(at: now)!.skew) < 10)
  }

  @Test(arguments: UInt64(1)...200) func randomInputKeepsEstimatesValid(seed: UInt64) {
    var random = VirtualRoute.Random(seed: seed)
    var clock = RemoteClock()
    var (local, remote) = (Instant(nanoseconds: 0), Instant(nanoseconds: 0))
    for _ in 0..<2000 {
      // On average, one clock shows a random instant in two of 31 steps, and both clocks show nearly the same instant in one of 31 steps.
      // In all other steps, both clocks advance.
      switch random.integer(in: 0...30) {
      case 0: local = Instant(nanoseconds: random.integer(in: .min ... .max))
      case 1: remote = Instant(nanoseconds: random.integer(in: .min ... .max))
      case 2: remote = local + Nanoseconds(random.integer(in: -1_000_000...1_000_000))
      default:
        local = local + Nanoseconds(random.integer(in: 0...40_000_000))
        remote = remote + Nanoseconds(random.integer(in: 0...40_000_000))
      }
      let resolution = Nanoseconds(random.integer(in: 0...40) == 0 ? random.integer(in: .min ... .max) : 1)
      let isOut = random.integer(in: 0...1) == 0
      clock.add(
        isOut
          ? ClockTransit(.out, sent: local, received: remote, resolution: resolution)
          : ClockTransit(.back, sent: remote, received: local, resolution: resolution), at: local)
      if let estimate = clock.estimate(at: local) {
        if estimate.uncertainty < .zero || estimate.deviation < .zero || !estimate.skew.isFinite {
          Issue.record("seed \(seed): \(estimate)")
        }
      }
    }
    #expect(clock.count + clock.rejected <= 2000)
  }
}
