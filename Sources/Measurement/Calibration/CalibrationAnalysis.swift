import Foundation
public import MusicalTime

/// The analysis of a recording of the clicks of a calibration. The result is the delay of each device.
///
/// In a calibration, first the reference sounds clicks, then one device, and then the reference again (``ClickPattern``). The reference
/// is the loudspeaker of the peer. The device, for example a phone, shows the web page of the peer. ``OnsetDetector`` finds the onsets
/// of the recording, and ``ClickMatch`` assigns them to clicks. The line through the onsets of the reference maps the due time of a
/// click to its time in the recording (``ReferenceLine``). The delay of a click of the device is its onset minus the recorded time that
/// the line gives for its due time. The delay of the device is the median of these delays. The latency of the microphone and the rate
/// of the recording clock are the same for the clicks of the reference and of the device, so they have no effect on the difference.
/// Echoes are later than the direct sound and are ignored. If the power rises at the clicks before the direct sound that was found, this
/// sound can be an echo, and the calibration is refused (``ClickRises``).
///
/// The uncertainty is twice the combined standard error of the median and of the line, plus ``attack``.
public struct CalibrationAnalysis: Sendable {
  /// The calibration of one device in a recording.
  public struct Part: Sendable {
    /// When the first click of the reference sounded, in seconds since the first frame of the recording.
    public var beginning: Double
    /// The delay of the device.
    public var delay: Result<DeviceDelay, CalibrationError>
  }

  /// The range of delays of a device that are searched, in seconds. With any of these delays, the device clicks between the first and
  /// the second half of the clicks of the reference (``ClickPattern``).
  static let delays = -0.2...0.8
  /// The part of the uncertainty for the attack of a click, in milliseconds: the onset of a soft click is found later than that of a
  /// loud click.
  static let attack = 0.3
  /// The lower edge of the band in which clicks are detected, in hertz.
  private static let lowest = 1_200.0
  /// An onset is rejected if its delay deviates by more than this from the median delay, in seconds.
  private static let tolerance = 0.0015
  /// The greatest error of ``Recording/firstInstant``, in seconds. The latency of a sound server can be unknown.
  private static let clockError = 0.6

  private let name: String
  private let firstInstant: Instant
  /// The onsets in seconds since the first frame, ascending.
  private let onsets: [Double]
  /// The rises of power in the band of the clicks.
  private let rises: ClickRises
  private let isSilent: Bool

  /// Detects the onsets of `recording`.
  ///
  /// - Parameter recording: the recording of the microphone. ``delay(from:usesReference:)`` needs its first instant by the clock of the
  ///   peer. ``parts()`` does not use its first instant.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording) {
    (name, firstInstant) = (recording.name, recording.firstInstant)
    // The recording contains mostly noise of the room below `lowest`. The fluctuations of this noise would be detected as onsets, and
    // would hide clicks.
    var filter = BandFilter(from: Self.lowest, to: nil, rate: recording.rate)
    let samples = recording.samples.map { Float(filter.next($0)) }
    onsets = OnsetDetector(rate: recording.rate).onsets(in: samples).map {
      Double($0) / Double(recording.rate)
    }
    rises = ClickRises(samples, rate: recording.rate)
    isSilent = recording.isSilent
  }

  /// Returns the delay of the device in a recording of one calibration.
  ///
  /// - Parameters:
  ///   - beginning: when the calibration began, by the clock of the peer: the due instant of the first click of the reference.
  ///   - usesReference: whether the reference clicked. If not, the first instant of the recording must be exact: the caller has
  ///     subtracted the latency of the microphone.
  /// - Throws: ``CalibrationError`` if the delay cannot be measured.
  ///
  /// Real-time: not safe.
  public func delay(from beginning: Instant, usesReference: Bool) throws(CalibrationError) -> DeviceDelay {
    guard !isSilent else { throw .silent }
    let start = (beginning - firstInstant).seconds
    guard usesReference else { return try delay(by: ReferenceLine(beginning: start)) }
    let clicks = ClickPattern.reference.seconds(from: start)
    let range = -Self.clockError...Self.clockError
    let required = ClickPattern.reference.required
    switch ClickMatch.find(clicks, required: required, in: onsets, range: range, rises: rises) {
    case .found(let match): return try delay(by: ReferenceLine(match, clicks: clicks))
    case .tooFew(let found): throw .noReference(found: found, of: clicks.count)
    case .ambiguous(let first, let second):
      throw .ambiguous(first * 1e3, second * 1e3, ofReference: true)
    }
  }

  /// Returns the calibrations in a recording whose first instant is unknown, in the order of the recording. The clicks of the reference
  /// show where each calibration begins.
  ///
  /// - Throws: ``ReportError`` if the recording is silent, or if no clicks of the reference are found.
  ///
  /// Real-time: not safe.
  public func parts() throws(ReportError) -> [Part] {
    guard !isSilent else {
      throw ReportError(
        subject: name, reason: "silent",
        remedy: "record while the peer calibrates (its command `calibrate`), with a microphone that hears the clicks")
    }
    // The first click is at 0, so the shift of a match is the instant of its first click.
    let clicks = ClickPattern.reference.seconds(from: 0)
    let matches = ClickMatch.candidates(clicks, in: onsets, range: 0...(onsets.last ?? 0))
    let required = ClickPattern.reference.required
    var parts: [Part] = []
    for match in matches where match.pairs.count >= required {
      // A match before the end of the previous reference clicks is an echo of these clicks.
      if let last = parts.last, match.center - last.beginning < (clicks.last ?? 0) { continue }
      let line = ReferenceLine(match, clicks: clicks)
      let delay = Result { () throws(CalibrationError) in
        if let earlier = match.earlierShift(clicks, rises: rises, lowest: 0) {
          throw .ambiguous(earlier * 1e3, match.center * 1e3, ofReference: true)
        }
        return try self.delay(by: line)
      }
      parts.append(Part(beginning: match.center, delay: delay))
    }
    guard !parts.isEmpty else {
      let found = matches.map(\.pairs.count).max() ?? 0
      throw ReportError(
        subject: name,
        reason: "no calibration found (the best match has \(found) of the \(clicks.count) clicks of the peer)",
        remedy: "record the room while the peer calibrates (its command `calibrate`), with the loudspeakers of "
          + "the peer and of the devices close to the microphone")
    }
    return parts
  }

  /// Returns the delay of the device. `line` maps the due times of its clicks to the clock of the recording.
  private func delay(by line: ReferenceLine) throws(CalibrationError) -> DeviceDelay {
    let clicks = ClickPattern.device.seconds(from: 0).map(line.recorded)
    let match: ClickMatch
    let required = ClickPattern.device.required
    switch ClickMatch.find(clicks, required: required, in: onsets, range: Self.delays, rises: rises) {
    case .found(let found): match = found
    case .tooFew(let found): throw .tooFewClicks(found: found, of: clicks.count)
    case .ambiguous(let first, let second):
      throw .ambiguous(first * 1e3, second * 1e3, ofReference: false)
    }
    let center = match.center
    let shifts = match.pairs.map(\.shift).filter { abs($0 - center) <= Self.tolerance }.sorted()
    guard shifts.count >= required else {
      throw .tooFewClicks(found: shifts.count, of: clicks.count)
    }
    let median = (shifts[(shifts.count - 1) / 2] + shifts[shifts.count / 2]) / 2
    let deviations = shifts.map { abs($0 - median) }.sorted()
    // For a normal distribution, the standard deviation is 1.4826 times the median absolute deviation. The standard error of a median
    // of n values is the standard deviation times sqrt(pi / 2 / n).
    let error = 1.4826 * deviations[deviations.count / 2] * (Double.pi / 2 / Double(shifts.count)).squareRoot()
    let uncertainty = 2e3 * (error * error + line.error * line.error).squareRoot() + Self.attack
    return DeviceDelay(
      milliseconds: median * 1e3, uncertainty: uncertainty, used: shifts.count, rejected: clicks.count - shifts.count)
  }
}

/// The result of a calibration: how much later than the reference (the loudspeaker of the peer) a device sounds its clicks.
public struct DeviceDelay: Hashable, Sendable {
  /// The delay in milliseconds; negative if the device is early.
  public var milliseconds: Double
  /// The uncertainty of the delay in milliseconds: 95 % of the errors are smaller. The uncertainty does not include the travel time of
  /// the sound to the microphone. ``CalibrationAnalysis`` contains the formula.
  public var uncertainty: Double
  /// The number of clicks of the device that determine the delay.
  public var used: Int
  /// The number of clicks of the device that were not found, or whose delay deviates too much from the median.
  public var rejected: Int
}

/// The reason why a calibration could not measure the delay of a device. The description contains the remedy.
public enum CalibrationError: Error, Hashable, CustomStringConvertible {
  /// No sample is louder than the rounding noise of 16 bits.
  case silent
  /// Too few clicks of the reference, the loudspeaker of the peer, were found.
  case noReference(found: Int, of: Int)
  /// Too few clicks of the device were found.
  case tooFewClicks(found: Int, of: Int)
  /// The clicks of the device, or of the reference (`ofReference`), were found twice, at two delays in milliseconds. The analysis
  /// cannot decide which delay is that of the direct sound.
  case ambiguous(Double, Double, ofReference: Bool)

  public var description: String {
    switch self {
    case .silent:
      return "the recording is silent; check that the microphone is connected and not muted"
    case .noReference(let found, let count):
      return "\(found) of \(count) clicks of the peer heard; let the peer play through a loudspeaker that the "
        + "microphone hears, without other sounds"
    case .tooFewClicks(let found, let count):
      return "\(found) of \(count) clicks heard; turn up the volume, hold the device closer to the microphone, "
        + "and stop other sounds"
    case .ambiguous(let first, let second, let ofReference):
      let distance = String(format: "%.0f", abs(second - first))
      return ofReference
        ? "some clicks of the peer were heard twice, \(distance) ms apart, as with an echo; place the loudspeaker of the peer closer to "
          + "the microphone, away from walls"
        : "some clicks were heard twice, \(distance) ms apart, as with an echo; hold the device closer to the microphone, "
          + "away from walls"
    }
  }
}
