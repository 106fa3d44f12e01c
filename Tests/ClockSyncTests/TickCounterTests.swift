import ClockSync
import MusicalTime
import Testing
import _TestSupport

/// A counter and a follower that receive a train of ticks, and the errors of both.
private struct TrainReceiver {
  var follower = TickFollower()
  var counter = TickCounter()
  /// The number that the sender gives to tick 0 of the counter; nil before ``calibrate(at:)``.
  var origin: Int64?

  mutating func receive(_ arrival: TickTrain.Arrival) {
    counter.add(arrival.at, to: &follower)
    expectPlausible(follower)
  }

  /// The number of ticks that the counter has missed since ``origin`` was set. `tick` is the sender's number of the
  /// newest tick.
  func slip(at tick: Int64) -> Int64 { tick - counter.next.index + 1 - (origin ?? 0) }

  /// Sets ``origin``. `tick` is the sender's number of the newest tick.
  mutating func calibrate(at tick: Int64) { origin = tick - counter.next.index + 1 }

  /// The error of the follower's line at the newest tick (`counter.next + -1`), in milliseconds: the deadline by the line minus the true
  /// due time.
  func error(_ arrival: TickTrain.Arrival) -> Double {
    guard let line = follower.timeline else { return .infinity }
    return (Double(line.deadline(counter.next + -1).nanoseconds) - arrival.due) / 1e6
  }

  /// Whether the tempo is accurate to 0.5 BPM and the phase to 5 ms.
  func isAccurate(_ arrival: TickTrain.Arrival) -> Bool {
    abs((follower.timeline?.tempo.bpm ?? 0) - arrival.bpm) <= 0.5 && abs(error(arrival)) <= 5
  }
}

/// Records an issue if the follower holds too many ticks or states a tempo out of range. This function does not use `#expect`: a test that
/// evaluates `#expect` a million times spends most of its time in `#expect`.
func expectPlausible(_ follower: TickFollower, _ label: @autoclosure () -> String = "") {
  if follower.count > TickFollower.depth { Issue.record("\(follower.count) ticks \(label())") }
  if let timeline = follower.timeline, !Tempo.lengths.contains(timeline.tempo.nanosecondsPerQuarter) {
    Issue.record("\(timeline.tempo) \(label())")
  }
}

/// The standard deviation of `values`.
private func deviation(_ values: [Double]) -> Double {
  let mean = values.reduce(0, +) / Double(values.count)
  return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
}

/// Tests of the numbers that the counter gives to ticks. Some ticks are lost, duplicated or delayed.
@Suite struct TickCounterTests {
  /// For each train, the number of ticks after its disturbance within which tempo and phase are accurate again. A
  /// quarter note has 24 ticks.
  static let settling: [(train: TickTrain, within: Int)] = [
    (.steady, 0), (.lossy, 0), (.lossyInBursts, 0), (.pause, 24), (.silence, 24), (.doubleTime, 48), (.halfTime, 24),
    (.slower, 24), (.lossyFaster, 24), (.bursts, 0), (.stall, 0), (.shortRamp, 24), (.longRamp, 24), (.doubled, 0),
    (.doubledFromTheStart, 0),
  ]

  @Test(arguments: TickTrain.allCases) func everyTrainIsCountedCorrectlyAfterSettling(train: TickTrain) throws {
    let within = try #require(Self.settling.first { $0.train == train }?.within)
    for seed in UInt64(1)...20 {
      let (arrivals, calmFrom) = train.arrivals(seed: seed)
      var receiver = TrainReceiver()
      // The number of arrivals after the disturbance until the last inaccurate one.
      var settled = 0
      for (n, arrival) in arrivals.enumerated() {
        receiver.receive(arrival)
        // The receiver is calibrated before the disturbance, which begins after 240 ticks and ends at the index `calmFrom`.
        if n == 200 { receiver.calibrate(at: arrival.tick) }
        if n >= calmFrom, !receiver.isAccurate(arrival) { settled = n - calmFrom + 1 }
      }
      #expect(settled <= within, "\(train), seed \(seed)")
      // After a pause of the sender, the sender's count cannot be derived from the arrivals: the pause looks like lost ticks.
      if train.tellsCount { #expect(receiver.slip(at: arrivals.last!.tick) == 0, "\(train), seed \(seed)") }
    }
  }

  /// `Benchmarks/bare-ticks.sh` compares published tick followers in the same experiment. Here, one tick in twenty is lost.
  @Test(arguments: UInt64(1)...20) func randomLossDoesNotShiftTheCount(seed: UInt64) {
    let (arrivals, calmFrom) = TickTrain.lossy.arrivals(seed: seed)
    var receiver = TrainReceiver()
    var errors: [Double] = []
    for (n, arrival) in arrivals.enumerated() {
      receiver.receive(arrival)
      if n == 200 { receiver.calibrate(at: arrival.tick) }
      guard n > 240, n < calmFrom else { continue }
      if receiver.slip(at: arrival.tick) != 0 { Issue.record("seed \(seed), tick \(arrival.tick)") }
      errors.append(receiver.error(arrival))
    }
    // The standard deviation is at most 0.12 ms.
    #expect(deviation(errors) <= 0.12, "seed \(seed)")
    // Of 2400 ticks, about 120 are lost.
    #expect(receiver.counter.lost > 60 && receiver.counter.duplicates == 0)
  }

  @Test func halvedTempoIsNotTakenForLoss() {
    let truth = Timeline(tempo: try! Tempo(bpm: 120), tick: Tick(0), at: Instant(nanoseconds: 1_000_000_000))
    var (follower, counter) = (TickFollower(), TickCounter())
    for n in Int64(0)..<2400 { counter.add(truth.deadline(Tick(n)), to: &follower) }
    // From tick 2400 on, the interval between ticks is twice as long. After three such intervals, the counter has recognised the new tempo
    // and corrected its count.
    for n in Int64(1)...3 { counter.add(truth.deadline(Tick(2399 + 2 * n)), to: &follower) }
    #expect(counter.next == Tick(2403))
    #expect(counter.revisions == 1 && counter.lost == 0)
    for n in Int64(4)...12 { counter.add(truth.deadline(Tick(2399 + 2 * n)), to: &follower) }
    #expect(counter.next == Tick(2412))
    #expect(abs(follower.timeline!.tempo.bpm - 60) < 0.01)
  }

  @Test func lostTicksAreSkipped() {
    let truth = Timeline(tempo: try! Tempo(bpm: 97.3), tick: Tick(0), at: Instant(nanoseconds: 5))
    var (follower, counter) = (TickFollower(), TickCounter())
    for n in Int64(0)..<500 where n != 77 && !(200..<204).contains(n) {
      counter.add(truth.deadline(Tick(n)), to: &follower)
      #expect(counter.next == Tick(n + 1))
    }
    #expect(counter.lost == 5 && counter.revisions == 0)
  }

  @Test func duplicateTickIsCountedOnce() {
    let truth = Timeline(tempo: try! Tempo(bpm: 97.3), tick: Tick(0), at: Instant(nanoseconds: 5))
    var (follower, counter) = (TickFollower(), TickCounter())
    for n in Int64(0)..<500 {
      #expect(counter.add(truth.deadline(Tick(n)), to: &follower))
      if n % 7 == 3, n > 10 {
        #expect(!counter.add(truth.deadline(Tick(n)) + .milliseconds(4), to: &follower))
        #expect(!counter.add(truth.deadline(Tick(n)) + .milliseconds(5), to: &follower))
      }
      #expect(counter.next == Tick(n + 1))
    }
  }

  @Test func tickLostBeforeStartIsNotCountedAsTheFirst() {
    let truth = Timeline(tempo: try! Tempo(bpm: 120), tick: Tick(0), at: Instant(nanoseconds: 5))
    // The missing ticks, and the position of the first tick that arrives after Start. Tick 51 has position 0. If tick 51 is missing, the
    // first tick that arrives has position 1.
    for (missing, first) in [(Int64(50)...50, Int64(0)), (49...50, 0), (51...51, 1), (50...51, 1)] {
      var (follower, counter) = (TickFollower(), TickCounter())
      for n in Int64(0)...50 where !missing.contains(n) { counter.add(truth.deadline(Tick(n)), to: &follower) }
      // Start arrives between ticks 50 and 51.
      counter.start(at: truth.deadline(Tick(50)) + .milliseconds(15), by: follower)
      let origin = counter.next
      let n: Int64 = missing.contains(51) ? 52 : 51
      counter.add(truth.deadline(Tick(n)), to: &follower)
      #expect(counter.next - origin == first + 1, "missing \(missing)")
    }
  }

  @Test func startAfterAPauseRestartsTheFollower() {
    let truth = Timeline(tempo: try! Tempo(bpm: 120), tick: Tick(0), at: Instant(nanoseconds: 5))
    var (follower, counter) = (TickFollower(), TickCounter())
    for n in Int64(0)..<50 { counter.add(truth.deadline(Tick(n)), to: &follower) }
    let pause = Nanoseconds.milliseconds(1712)
    counter.start(at: truth.deadline(Tick(50)) + pause, by: follower)
    let origin = counter.next
    for n in Int64(50)..<60 { counter.add(truth.deadline(Tick(n)) + pause, to: &follower) }
    // The counter and the follower have only the ten ticks since Start.
    #expect(counter.next - origin == 10)
    #expect(follower.count == 10)
  }

  /// The source numbers its ticks, so the counter accepts them at any interval. One tick in ten is lost.
  @Test func ticksCountedByTheSourceAreAccepted() {
    var random = SplitMix(seed: 1)
    var (follower, counter) = (TickFollower(), TickCounter())
    var instant = Instant(nanoseconds: 0)
    for n in Int64(0)..<500 {
      instant = instant + Nanoseconds(random.integer(in: 0...50_000_000))
      if n % 10 == 9 { counter.skip() } else { counter.add(counted: instant, to: &follower) }
      #expect(counter.next == Tick(n + 1))
    }
  }

  /// The source numbers its commands. `missing` commands were lost directly before a tick. Not all of them need be ticks.
  @Test func elapsedTimeDeterminesMissingTicks() {
    let truth = Timeline(tempo: try! Tempo(bpm: 97.3), tick: Tick(0), at: Instant(nanoseconds: 5))
    var (follower, counter) = (TickFollower(), TickCounter())
    for n in Int64(0)..<50 { counter.add(counted: truth.deadline(Tick(n)), to: &follower) }
    // The lost command was not a tick.
    counter.add(counted: truth.deadline(Tick(50)), missing: 1, to: &follower)
    #expect(counter.next == Tick(51))
    // One of the two lost commands was a tick.
    counter.add(counted: truth.deadline(Tick(52)), missing: 2, to: &follower)
    #expect(counter.next == Tick(53))
    // A burst of the ticks 53...58, of which tick 55 is lost. Its loss is known when tick 56 arrives.
    for n in [Int64(53), 54, 56, 57, 58] {
      let instant = truth.deadline(Tick(58)) + .microseconds(100 * n)
      counter.add(counted: instant, missing: n == 56 ? 1 : 0, to: &follower)
      #expect(counter.next == Tick(n + 1))
    }
    #expect(abs(follower.timeline!.tempo.bpm - 97.3) < 0.01)
    #expect(counter.lost == 2)
    // Tick 55 arrives late. Its number was skipped, so the tick must not be counted: the first call returns false, and
    // the tick is no longer lost. Only the ticks of the last skip are remembered, here tick 55 alone. The second call
    // therefore returns true: a second late tick must be counted.
    #expect(!counter.consumeLateTick() && counter.consumeLateTick() && counter.lost == 1)
  }

  @Test(arguments: UInt64(1)...200) func randomInputKeepsTheCountValid(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var (follower, counter) = (TickFollower(), TickCounter())
    var instant = Instant(nanoseconds: 0)
    for _ in 0..<2000 {
      switch random.integer(in: 0...40) {
      case 0: instant = Instant(nanoseconds: random.integer(in: .min ... .max))
      case 1: instant = instant + Nanoseconds(random.integer(in: 0...12_000_000_000))
      case 2: break  // The next tick arrives at the same instant.
      case 3: counter.start(at: instant, by: follower)
      case 4: counter.add(counted: instant, missing: random.integer(in: 0...1000), to: &follower)
      case 5: counter.skip()
      case 6...12: instant = instant + Nanoseconds(random.integer(in: 0...1000))
      default: instant = instant + Nanoseconds(random.integer(in: 0...40_000_000))
      }
      let (before, revisions) = (counter.next, counter.revisions)
      let isCounted = counter.add(instant, to: &follower)
      let count = counter.next - before
      if count > 1_000_000 || count < -1_000_000 { Issue.record("seed \(seed): \(count) ticks at once") }
      // Unless ticks were renumbered, a counted tick increases the number, and a duplicate does not change it.
      if counter.revisions == revisions, isCounted ? count <= 0 : count != 0 {
        Issue.record("seed \(seed): \(count) ticks, counted: \(isCounted)")
      }
      expectPlausible(follower, "seed \(seed)")
    }
  }
}
