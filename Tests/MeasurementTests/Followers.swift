import Measurement
import MusicalTime

/// Devices of known behaviour that follow a ``FollowerStimulus``. They play on each tick whose number is a multiple of `grid`.
/// The instants are nanoseconds of the clock of the stimulus.
struct Followers {
  let record: StimulusRecord
  let grid: Int

  /// The instant of tick 0.
  static let origin = Instant(nanoseconds: 7_000_000_000)

  /// A stimulus whose ticks were all sent exactly when they were planned.
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

  private func sounds(_ instant: (Int) -> Double) -> [Double] {
    stride(from: 0, to: record.ticks.count, by: grid).map(instant)
  }

  /// A device that knows the ideal clock, with a constant delay.
  func ideal(delay: Double) -> [Double] {
    sounds { Double(Self.origin.nanoseconds + record.ticks[$0].ideal) + delay }
  }

  /// A device that plays when a tick arrives.
  func onArrival(delay: Double) -> [Double] {
    sounds { Double(record.sent[$0] ?? Self.origin.nanoseconds + record.ticks[$0].ideal) + delay }
  }

  /// A device that plays when a tick arrives and counts the ticks that arrive. After a lost tick, it is a tick behind.
  func counting(delay: Double) -> [Double] {
    let arrivals = record.sent.compactMap { $0 }
    return stride(from: 0, to: arrivals.count, by: grid).map { Double(arrivals[$0]) + delay }
  }

  /// A loop that moves its phase by the fraction `gain` of the error of each tick, and its period by the fraction `rate`. With
  /// a rate of 0, a low-pass filter of first order.
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

  /// Measures sounds, to which normal noise is added.
  func analysis(
    _ instants: [Double], noise: Double = 0, seed: UInt64 = 99, hasCommonClock: Bool = true
  ) throws -> FollowerAnalysis {
    let errors = Clocks.gaussian(instants.count, seed: seed)
    let sounds = FollowerSounds(
      name: "x.wav", instants: zip(instants, errors).map { $0 + $1 * noise }, hasCommonClock: hasCommonClock)
    return try FollowerAnalysis(sounds, record, soundsPerQuarter: 24 / grid, provenance: Clocks.provenance)
  }
}
