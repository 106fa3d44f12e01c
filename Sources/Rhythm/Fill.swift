/// When the lines of the fill sound.
public struct Fill: Hashable, Sendable {
  /// The fill sounds in the last of each group of this many bars, 2...``maximumPeriod``.
  public let period: Int
  /// The chance that the fill sounds in such a bar, in percent, 1...100.
  public let chance: Int

  public static let maximumPeriod = 64
}
