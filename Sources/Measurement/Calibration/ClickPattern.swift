public import MusicalTime

/// The clicks of a calibration: the instants at which the reference and the device click, relative to the beginning.
///
/// The reference clicks before and after the device, so that a recording clock with a wrong rate has no effect on the difference of
/// both. The spacing is irregular: all distances between two clicks of one pattern are different (a Golomb ruler with a unit of
/// 10 ms), and a wrong shift of one pattern against itself or the other one brings at most two clicks together. A regular sound, such
/// as a metronome, therefore matches at most a few clicks. The smallest distance of 90 ms is above the 40 ms that
/// ``OnsetDetector`` can separate.
public struct ClickPattern: Hashable, Sendable {
  /// The instants of the clicks in milliseconds, ascending.
  let milliseconds: [Int64]
  /// The number of clicks that must be found, two thirds of all.
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

  /// Returns the instants of the clicks of a calibration that begins at `beginning`.
  ///
  /// Real-time: not safe.
  public func instants(from beginning: Instant) -> [Instant] { milliseconds.map { beginning + .milliseconds($0) } }
}
