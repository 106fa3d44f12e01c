import Foundation

/// The assignment of the sounds of a device to the ticks of a stimulus.
///
/// The device plays on a grid of equal numbers of ticks, though not on each line of it. The phase error of a sound is its instant
/// minus the ideal instant of its tick. A sound is assigned to the line on which its phase error is nearest to that of the
/// sound before, so that the phase error may grow without limit while it changes by less than 0.4 grid intervals from
/// sound to sound. Other sounds are off the grid and left out. If five follow each other, the device has jumped, and the
/// fifth is assigned.
///
/// The phase error of the first sound is that of the sounds of the steady part (their circular mean), at least -1/4 and
/// less than 3/4 of a grid interval.
struct SoundPlacement {
  /// A sound on the grid.
  struct Sound {
    /// The number of the tick.
    let tick: Int
    /// The instant in nanoseconds after tick 0 of the stimulus.
    let instant: Double
    /// The instant minus the ideal instant of the tick, nanoseconds.
    var error: Double
  }

  /// The sounds on the grid, ascending.
  private(set) var sounds: [Sound] = []
  /// The number of sounds from the first to the last tick that are off the grid, or doubled.
  private(set) var offGrid = 0

  /// The largest change of the phase error from sound to sound, in grid intervals.
  private static let largestChange = 0.4
  /// The number of successive sounds off the grid after which the device counts as jumped.
  private static let jump = 5

  /// Assigns the sounds.
  ///
  /// - Parameters:
  ///   - sounds: the sounds.
  ///   - record: the stimulus.
  ///   - grid: the number of ticks between two lines.
  /// - Throws: ``ReportError`` if the sounds of the steady part are not on a grid.
  init(_ sounds: FollowerSounds, _ record: StimulusRecord, grid: Int) throws(ReportError) {
    let lines = stride(from: 0, to: record.ticks.count, by: grid).map { Double(record.ticks[$0].ideal) }
    let length = record.header.stimulus.period * Double(grid)
    let steady = record.header.stimulus.sections[0]
    let duration = Double(steady.ticks.count) * steady.period
    let (instants, phase) = try Self.align(
      sounds, origin: Double(record.header.origin), length: length, quarter: 24 * steady.period, duration: duration)
    // The last tick that was sent, plus a part: the device may sound later.
    let end = Double(record.ticks[max(record.count - 1, 0)].ideal) + length
    var (line, error, skipped) = (-1, phase, 0)
    for instant in instants {
      let expected = instant - error
      guard expected > -length / 2, expected < end else { continue }
      let nearest = Self.nearest(expected, in: lines)
      let isOn = nearest > line && abs(lines[nearest] - expected) < Self.largestChange * length
      guard isOn || nearest > line && skipped + 1 >= Self.jump else {
        offGrid += 1
        skipped += 1
        continue
      }
      (line, error, skipped) = (nearest, instant - lines[nearest], 0)
      self.sounds.append(Sound(tick: nearest * grid, instant: instant, error: error))
    }
  }

  /// Returns the instants of the sounds after tick 0, and the phase error of the steady part.
  private static func align(
    _ sounds: FollowerSounds, origin: Double, length: Double, quarter: Double, duration: Double
  ) throws(ReportError) -> (instants: [Double], phase: Double) {
    var isFewer = true
    if sounds.hasCommonClock {
      let instants = sounds.instants.map { $0 - origin }
      // The device may need time to follow at first.
      if let mean = circularMean(of: instants.filter { $0 >= duration / 3 && $0 < duration }, length: length) {
        let phase = mean >= 0.75 * length ? mean - length : mean
        return (instants, phase)
      }
      isFewer = instants.count { $0 >= duration / 3 && $0 < duration } < fewestSounds
    } else {
      // The first sound that is on the grid of a steady part, and has a successor within a quarter note, is on tick 0.
      for (first, second) in zip(sounds.instants, sounds.instants.dropFirst()) where second - first < 1.25 * quarter {
        let instants = sounds.instants.filter { $0 >= first }.map { $0 - first }
        let part = instants.filter { $0 >= duration / 3 && $0 < duration }
        if part.count < fewestSounds { continue }
        isFewer = false
        guard let mean = circularMean(of: part, length: length) else { continue }
        let phase = mean >= length / 2 ? mean - length : mean
        if abs(phase) < 0.1 * length { return (instants, phase) }
      }
    }
    if isFewer {
      throw ReportError(
        subject: sounds.name, reason: "fewer than \(fewestSounds) sounds in the steady part of the stimulus",
        remedy: "start the device by its clock input, with a sound on each quarter note, and measure again")
    }
    throw ReportError(
      subject: sounds.name, reason: "the sounds are not on a grid",
      remedy: "give the number of equal steps in a quarter note with --sounds-per-quarter, or use one short sound")
  }

  /// The fewest sounds of a steady part.
  private static let fewestSounds = 4

  /// Returns the circular mean of the instants modulo `length`, 0 up to `length`; nil if they are spread over more than about
  /// half of the length (a mean resultant length below 0.7; K. Mardia and P. Jupp, "Directional statistics", 2000).
  private static func circularMean(of instants: [Double], length: Double) -> Double? {
    guard instants.count >= fewestSounds else { return nil }
    var (x, y) = (0.0, 0.0)
    for instant in instants {
      let angle = 2 * .pi * instant / length
      x += cos(angle)
      y += sin(angle)
    }
    guard (x * x + y * y).squareRoot() >= 0.7 * Double(instants.count) else { return nil }
    let share = atan2(y, x) / (2 * .pi)
    return (share < 0 ? share + 1 : share) * length
  }

  /// Returns the index of the value of `lines`, ascending, that is nearest to `value`.
  private static func nearest(_ value: Double, in lines: [Double]) -> Int {
    var (low, high) = (0, lines.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle] <= value { low = middle } else { high = middle }
    }
    return abs(lines[high] - value) < abs(lines[low] - value) ? high : low
  }

  /// Subtracts a drift of the recorder from all phase errors.
  ///
  /// - Parameter drift: nanoseconds per nanosecond.
  mutating func subtract(drift: Double) {
    for index in sounds.indices { sounds[index].error -= drift * sounds[index].instant }
  }
}
