public import MusicalTime

/// A recording of the clicks of a calibration, from which the delays of devices follow.
///
/// The onsets of the recording (``OnsetDetector``) are assigned to the clicks of the reference and of the device
/// (``ClickPattern``). The line through the clicks of the reference maps the clock of the recording to that of the peer. The delay of
/// the device is the median of its onsets minus this line. The latency of the microphone and the rate of the recording clock
/// are the same for both, so they have no effect. Echoes are later than the direct sound and are ignored.
///
/// The uncertainty is twice the standard error of the median and of the line, plus ``attack``, because the onset of a soft click is found
/// later than that of a loud one.
public struct CalibrationAnalysis: Sendable {
  /// The part of the recording in which one device clicked.
  public struct Part: Sendable {
    /// When its first click of the reference sounded, in seconds since the first frame.
    public var beginning: Double
    /// The delay of the device.
    public var delay: Result<DeviceDelay, CalibrationError>
  }

  /// Possible delays of a device in seconds.
  static let delays = -0.2...0.8
  /// How much the onset of a click depends on its level and on the noise, in milliseconds.
  static let attack = 0.3
  /// The lower edge of the band in which clicks are detected, in hertz.
  private static let lowest = 1_200.0
  /// Onsets that deviate by more than this from the median are rejected, in seconds.
  private static let tolerance = 0.0015
  /// How much the instants of the recording may be wrong, in seconds: ``Recording/firstInstant`` of a sound server.
  private static let clockError = 0.6

  private let name: String
  private let firstInstant: Instant
  /// The onsets in seconds since the first frame, ascending.
  private let onsets: [Double]
  private let isSilent: Bool

  /// Detects the onsets of `recording`. Its first instant is that of the peer's clock, if it is known.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording) {
    (name, firstInstant) = (recording.name, recording.firstInstant)
    // Below this frequency there is mostly noise of the room, whose fluctuations would hide clicks as onsets of their own.
    var filter = BandFilter(from: Self.lowest, to: nil, rate: recording.rate)
    let samples = recording.samples.map { Float(filter.next($0)) }
    onsets = OnsetDetector(rate: recording.rate).onsets(in: samples).map {
      Double($0) / Double(recording.rate)
    }
    isSilent = recording.samples.allSatisfy { !$0.isFinite || abs($0) <= OnsetDetector.silence }
  }

  /// Returns the delay of the device in a calibration that began at `beginning` of the peer's clock.
  ///
  /// - Parameter usesReference: whether the reference clicked. Otherwise the first instant of the recording must be exact: the latency
  ///   of the microphone was subtracted.
  /// - Throws: ``CalibrationError``.
  ///
  /// Real-time: not safe.
  public func delay(from beginning: Instant, usesReference: Bool) throws(CalibrationError) -> DeviceDelay {
    guard !isSilent else { throw .silent }
    let start = (beginning - firstInstant).seconds
    guard usesReference else { return try delay(by: ReferenceLine(beginning: start)) }
    let clicks = ClickPattern.reference.seconds(from: start)
    let range = -Self.clockError...Self.clockError
    switch ClickMatch.find(clicks, required: ClickPattern.reference.required, in: onsets, range: range) {
    case .found(let match): return try delay(by: ReferenceLine(match, clicks: clicks))
    case .tooFew(let found): throw .noReference(found: found, of: clicks.count)
    case .ambiguous(let first, let second): throw .ambiguous(first * 1e3, second * 1e3)
    }
  }

  /// The parts of a recording whose clock is unknown: wherever the reference clicked, in the order of the recording.
  ///
  /// - Throws: ``ReportError`` if the recording is silent, or if the reference is not found.
  ///
  /// Real-time: not safe.
  public func parts() throws(ReportError) -> [Part] {
    guard !isSilent else {
      throw ReportError(
        subject: name, reason: "silent", remedy: "record the clicks of `calibrate` with a microphone that hears them")
    }
    let clicks = ClickPattern.reference.seconds(from: 0)
    let matches = ClickMatch.candidates(clicks, in: onsets, range: 0...(onsets.last ?? 0))
    let required = ClickPattern.reference.required
    var parts: [Part] = []
    for match in matches where match.pairs.count >= required {
      // Echoes of the reference.
      if let last = parts.last, match.center - last.beginning < (clicks.last ?? 0) { continue }
      let line = ReferenceLine(match, clicks: clicks)
      let delay = Result { () throws(CalibrationError) in try self.delay(by: line) }
      parts.append(Part(beginning: match.center, delay: delay))
    }
    guard !parts.isEmpty else {
      let found = matches.map(\.pairs.count).max() ?? 0
      throw ReportError(
        subject: name, reason: "no calibration found (at most \(found) of \(clicks.count) clicks of the peer)",
        remedy: "record the room while `calibrate` runs, with the loudspeakers of the peer and of the devices close to "
          + "the microphone")
    }
    return parts
  }

  /// Returns the delay of the device, whose clicks were due at the instants that `line` maps to the recording.
  private func delay(by line: ReferenceLine) throws(CalibrationError) -> DeviceDelay {
    let clicks = ClickPattern.device.seconds(from: 0).map(line.recorded)
    let match: ClickMatch
    switch ClickMatch.find(clicks, required: ClickPattern.device.required, in: onsets, range: Self.delays) {
    case .found(let found): match = found
    case .tooFew(let found): throw .tooFewClicks(found: found, of: clicks.count)
    case .ambiguous(let first, let second): throw .ambiguous(first * 1e3, second * 1e3)
    }
    let center = match.center
    let shifts = match.pairs.map(\.shift).filter { abs($0 - center) <= Self.tolerance }.sorted()
    guard shifts.count >= ClickPattern.device.required else {
      throw .tooFewClicks(found: shifts.count, of: clicks.count)
    }
    let median = (shifts[(shifts.count - 1) / 2] + shifts[shifts.count / 2]) / 2
    let deviations = shifts.map { abs($0 - median) }.sorted()
    // The standard deviation by the median absolute deviation, and the standard error of a median, of a normal distribution.
    let error = 1.4826 * deviations[deviations.count / 2] * (Double.pi / 2 / Double(shifts.count)).squareRoot()
    let uncertainty = 2e3 * (error * error + line.error * line.error).squareRoot() + Self.attack
    return DeviceDelay(
      milliseconds: median * 1e3, uncertainty: uncertainty, used: shifts.count, rejected: clicks.count - shifts.count)
  }
}

extension ClickPattern {
  /// The clicks of a calibration that begins at `beginning`, in seconds.
  func seconds(from beginning: Double) -> [Double] { milliseconds.map { beginning + Double($0) / 1e3 } }
}
