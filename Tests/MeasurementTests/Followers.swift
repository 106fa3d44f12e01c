import Measurement
import MusicalTime

/// Simulated devices that follow a ``FollowerStimulus``. A device plays a sound on each tick whose number is a multiple of
/// ``grid``. Each function that simulates a device returns the instants of its sounds, in nanoseconds of the clock that also
/// stamped the sent ticks. Delays are in nanoseconds.
struct Followers {
  /// The ticks that were sent to the devices.
  let record: StimulusRecord
  /// The number of ticks from one sound to the next.
  let grid: Int

  /// The instant of tick 0.
  static let origin = Instant(nanoseconds: 7_000_000_000)

  /// Creates a stimulus from values that ``FollowerStimulus`` explains: `tempo` is in beats per minute, `jitter` is in milliseconds, `step`
  /// is in percent, `losses` is a number of ticks, and `seconds` is the length of a part. Tick 0 is not lost. Each tick that is not lost
  /// was sent exactly when it was planned.
  init(
    tempo: Double = 120, jitter: Double = 2, step: Double = 5, losses: Int = 4, seconds: Double = 16, seed: UInt64 = 1,
    grid: Int = 6
  ) throws {
    let stimulus = try FollowerStimulus(
      tempo: tempo, jitter: jitter, step: step, losses: losses, seconds: seconds, seed: seed)
    var record = StimulusRecord(
      StimulusRecord.Header(stimulus: stimulus, output: "x", origin: Self.origin, version: "1", command: "test"))
    for (number, tick) in record.ticks.enumerated() where !tick.isLost {
      _ = record.add(number, sent: Self.origin + Nanoseconds(tick.planned))
    }
    (self.record, self.grid) = (record, grid)
  }

  /// Returns the result of `instant` for each tick on which a device plays.
  private func sounds(_ instant: (Int) -> Double) -> [Double] {
    stride(from: 0, to: record.ticks.count, by: grid).map(instant)
  }

  /// A device that knows the ideal clock without jitter and losses, and plays with a constant delay.
  func ideal(delay: Double) -> [Double] {
    sounds { Double(Self.origin.nanoseconds + record.ticks[$0].ideal) + delay }
  }

  /// A device that plays `delay` after a tick was sent. It plays a lost tick at its ideal instant.
  func onArrival(delay: Double) -> [Double] {
    sounds { Double(record.sent[$0] ?? Self.origin.nanoseconds + record.ticks[$0].ideal) + delay }
  }

  /// A device that counts the ticks that arrive, and plays on every ``grid``-th of them. With each lost tick, it falls behind by
  /// one tick.
  func counting(delay: Double) -> [Double] {
    let arrivals = record.sent.compactMap { $0 }
    return stride(from: 0, to: arrivals.count, by: grid).map { Double(arrivals[$0]) + delay }
  }

  /// A device with a phase-locked loop. After each tick, the loop moves its phase by the fraction `gain` of the error of the tick,
  /// and its period by the fraction `rate`. With a rate of 0, the loop is a low-pass filter of first order.
  func loop(gain: Double, rate: Double = 0) -> [Double] {
    var phase = Double(record.sent[0] ?? 0)
    var period = 60e9 / record.header.stimulus.tempo / 24
    var phases = [phase]
    for sent in record.sent.dropFirst() {
      phase += period
      if let sent {
        let error = Double(sent) - phase
        phase += gain * error
        period += rate * error
      }
      phases.append(phase)
    }
    return sounds { phases[$0] }
  }

  /// Measures the sounds at `instants` after normally distributed noise is added to the instants. `noise` is the standard deviation
  /// of the noise in nanoseconds.
  func analysis(
    _ instants: [Double], noise: Double = 0, seed: UInt64 = 99, hasCommonClock: Bool = true
  ) throws -> FollowerAnalysis {
    let errors = Clocks.gaussian(instants.count, seed: seed)
    let sounds = FollowerSounds(
      name: "x.wav", instants: zip(instants, errors).map { $0 + $1 * noise }, hasCommonClock: hasCommonClock)
    return try FollowerAnalysis(sounds, record, soundsPerQuarter: 24 / grid, provenance: Clocks.provenance)
  }
}
