/// When the lines of the fill sound. A fill is a bar with other or additional strokes, at the end of a group of bars.
public struct Fill: Hashable, Sendable {
  /// The number of bars in a group, 2...``maximumPeriod``. The fill sounds in the last bar of each group.
  public let period: Int
  /// The chance that the fill sounds in such a bar, in percent, 1...100.
  public let chance: Int

  public static let maximumPeriod = 64
}
