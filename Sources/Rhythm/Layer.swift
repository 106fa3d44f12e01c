/// Some lines of a rhythm, which sound while the total activity is within a range. The total activity combines
/// the activities of all players.
///
/// Real-time: not safe.
public struct Layer: Hashable, Sendable {
  /// The range of total activity in which the layer sounds, within 0...127.
  public let activity: ClosedRange<UInt8>

  /// The key of the layer in a patch: `always`, `from 40`, `to 39` or `from 40 to 83`.
  public var name: String {
    switch (activity.lowerBound, activity.upperBound) {
    case (0, 127): "always"
    case (let from, 127): "from \(from)"
    case (0, let to): "to \(to)"
    case (let from, let to): "from \(from) to \(to)"
    }
  }
}
