import Foundation

/// The assignment of the sounds of a device to the ticks of a stimulus.
///
/// The device plays on grid lines, which are equally spaced ticks. Not every line has a sound. The phase error of a sound is its instant
/// minus the ideal instant of its line. A sound is assigned to the line that gives it the phase error nearest to that of the previous
/// sound. Therefore the phase error can grow without limit if it changes by less than 0.4 grid intervals from sound to sound. Sounds
/// with a larger change are off the grid and left out. After four such sounds in succession, the device has jumped, and the fifth sound is
/// assigned.
///
/// The first sound has no previous sound. Its phase error is compared with the circular mean of the phase errors in the steady part, which
/// is the first part of the clock.
///
/// - If the recording has the clock of the sender, the mean is reduced to one grid interval, because delays that differ by whole grid
///   intervals cannot be told apart. The range is -1/4 to 3/4 of a grid interval, because a device usually sounds after the tick.
/// - If the recording has another clock, tick 0 is the first sound that lies on the grid of the sounds after it.
struct SoundPlacement {
  /// A sound on the grid.
  struct Sound {
    /// The number of the tick in the stimulus.
    let tick: Int
    /// The instant of the sound in nanoseconds after tick 0 of the stimulus.
    let instant: Double
    /// The phase error in nanoseconds: the instant minus the ideal instant of the tick.
    var error: Double
  }

  /// The sounds on the grid, in ascending order of ticks.
  private(set) var sounds: [Sound] = []
  /// The number of sounds during the stimulus that are off the grid, or on a line that already has a sound.
  private(set) var offGrid = 0

  /// The limit of the change of the phase error from sound to sound, in grid intervals.
  private static let largestChange = 0.4
  /// The device has jumped if this many sounds in succession would be off the grid.
  private static let jump = 5

  /// Assigns the sounds.
  ///
  /// - Parameters:
  ///   - sounds: the sounds.
  ///   - record: the stimulus.
  ///   - grid: the number of ticks between two grid lines.
  /// - Throws: ``ReportError`` if the sounds of the steady part are too few or not on a grid.
  init(_ sounds: FollowerSounds, _ record: StimulusRecord, grid: Int) throws(ReportError) {
    let lines = stride(from: 0, to: record.ticks.count, by: grid).map { Double(record.ticks[$0].ideal) }
    let length = record.header.stimulus.period * Double(grid)
    let steady = record.header.stimulus.sections[0]
    let duration = Double(steady.ticks.count) * steady.period
    let (instants, phase) = try Self.align(
      sounds, origin: Double(record.header.origin), length: length, quarter: 24 * steady.period, duration: duration)
    // The device may play one more grid interval after the last tick that was sent.
    let end = Double(record.ticks[max(record.count - 1, 0)].ideal) + length
    // The line and the phase error of the previous sound, and the number of sounds off the grid since then.
    var (line, error, skipped) = (-1, phase, 0)
    for instant in instants {
      // The ideal instant of the line of this sound, if the phase error has not changed since the previous sound.
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

  /// Returns the instants of the sounds in nanoseconds after tick 0, and the mean phase error of the steady part in nanoseconds.
  ///
  /// - Parameters:
  ///   - sounds: the sounds.
  ///   - origin: the instant of tick 0 by the clock of the sender in nanoseconds.
  ///   - length: the length of a grid interval in nanoseconds.
  ///   - quarter: the length of a quarter note in nanoseconds.
  ///   - duration: the length of the steady part in nanoseconds.
  /// - Throws: ``ReportError`` if the sounds of the steady part are too few or not on a grid.
  private static func align(
    _ sounds: FollowerSounds, origin: Double, length: Double, quarter: Double, duration: Double
  ) throws(ReportError) -> (instants: [Double], phase: Double) {
    var areTooFew = true
    if sounds.hasCommonClock {
      let instants = sounds.instants.map { $0 - origin }
      // The first third is left out, because the device may need time to lock to the clock.
      if let mean = circularMean(of: instants.filter { $0 >= duration / 3 && $0 < duration }, length: length) {
        let phase = mean >= 0.75 * length ? mean - length : mean
        return (instants, phase)
      }
      areTooFew = instants.count { $0 >= duration / 3 && $0 < duration } < fewestSounds
    } else {
      // Tick 0 is the first sound that fulfils two conditions. Another sound follows it within about a quarter note. The later sounds of
      // the steady part are on a grid, and the first sound lies on this grid.
      for (first, second) in zip(sounds.instants, sounds.instants.dropFirst()) where second - first < 1.25 * quarter {
        let instants = sounds.instants.filter { $0 >= first }.map { $0 - first }
        let part = instants.filter { $0 >= duration / 3 && $0 < duration }
        if part.count < fewestSounds { continue }
        areTooFew = false
        guard let mean = circularMean(of: part, length: length) else { continue }
        let phase = mean >= length / 2 ? mean - length : mean
        if abs(phase) < 0.1 * length { return (instants, phase) }
      }
    }
    if areTooFew {
      throw ReportError(
        subject: sounds.name, reason: "fewer than \(fewestSounds) sounds in the steady part of the clock",
        remedy: "set the device to follow MIDI clock and to start with the message Start, with a sound on each quarter "
          + "note, and measure again")
    }
    throw ReportError(
      subject: sounds.name,
      reason: "the sounds are not on a grid",
      remedy:
        "give the number of grid lines in a quarter note with --sounds-per-quarter, or play a single short drum sound only"
    )
  }

  /// The fewest sounds of the steady part from which its phase error is calculated.
  private static let fewestSounds = 4

  /// Returns the circular mean of `instants` modulo `length`, in the range from 0 to `length`.
  ///
  /// Returns nil with fewer than ``fewestSounds``, or if the mean resultant length of the instants is below 0.7 (K. Mardia and P. Jupp,
  /// "Directional statistics", 2000). The instants are then spread over more than about half of `length`.
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

  /// Returns the index of the element of `lines` that is nearest to `value`. `lines` is ascending.
  private static func nearest(_ value: Double, in lines: [Double]) -> Int {
    let high = min(lines.firstIndex(bySearching: { $0 > value }), lines.count - 1)
    let low = max(high - 1, 0)
    return abs(lines[high] - value) < abs(lines[low] - value) ? high : low
  }

  /// Subtracts the effect of a drift of the recorder from all phase errors.
  ///
  /// - Parameter drift: the change of the phase error in nanoseconds per nanosecond.
  mutating func subtract(drift: Double) {
    for index in sounds.indices { sounds[index].error -= drift * sounds[index].instant }
  }
}
