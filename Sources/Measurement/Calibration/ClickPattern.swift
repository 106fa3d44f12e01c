public import MusicalTime

/// The times at which the reference (the loudspeaker of the peer) or the device clicks in a calibration.
///
/// A calibration measures how much later than the reference the device sounds. The reference clicks before and after the device, so
/// that a recording clock with a wrong rate has no effect on the difference. The spacing is irregular, so that clicks match only at the
/// right shift:
///
/// - All distances between two clicks of one pattern are different: a Golomb ruler with a unit of 10 ms.
/// - If one pattern is shifted against itself or against the other pattern, at most two clicks coincide.
/// - A regular sound, such as a metronome, matches only a few clicks.
///
/// The smallest distance between two clicks is 90 ms, because ``OnsetDetector`` does not separate onsets closer than 40 ms.
///
/// Real-time: not safe.
public struct ClickPattern: Hashable, Sendable {
  /// The times of the clicks since the beginning of the calibration in milliseconds, ascending.
  let milliseconds: [Int64]
  /// The number of clicks that must be found: two thirds of all, rounded up.
  let required: Int

  private init(_ milliseconds: [Int64]) {
    self.milliseconds = milliseconds
    required = (2 * milliseconds.count + 2) / 3
  }

  /// The clicks of the reference: eight before and eight after those of the device.
  public static let reference = ClickPattern([
    0, 180, 370, 570, 720, 890, 1000, 1120, 4410, 4630, 4770, 4870, 5080, 5210, 5370, 5460,
  ])
  /// The clicks of the device.
  public static let device = ClickPattern([
    1570, 1800, 1930, 2140, 2250, 2490, 2640, 2800, 2900, 3100, 3270, 3520,
  ])

  /// The number of clicks.
  public var count: Int { milliseconds.count }

  /// Returns the due instants of the clicks of a calibration that begins at `beginning`.
  ///
  /// Real-time: not safe.
  public func instants(from beginning: Instant) -> [Instant] { milliseconds.map { beginning + .milliseconds($0) } }
}
