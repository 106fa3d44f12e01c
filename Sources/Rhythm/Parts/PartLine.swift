/// The notes of one tone in one layer of a pitched part. A part line repeats, like the ``Line`` of a drum.
public struct PartLine: Hashable, Sendable {
  public let tone: PartTone
  /// The index of the layer in ``PitchedPart/layers``.
  public let layer: Int
  /// The range of total activity, of all players together, in which the line sounds, within 0...127.
  public let activity: ClosedRange<UInt8>
  /// Whether the line, while it sounds, replaces all earlier lines of the same tone in ``PitchedPart/lines``. Otherwise it adds notes to
  /// these lines.
  public let replaces: Bool
  /// The chance of each stroke at the least activity of ``activity``, in percent.
  public let lowActivityChance: Int
  /// The chance of each stroke at the greatest activity of ``activity``, in percent.
  public let highActivityChance: Int
  /// The number of steps of the line (``PartStep``) per quarter note: 4, or 3 or 6 for triplets.
  public let strokesPerQuarter: Int
  /// The steps of each bar, 1...``Line/maximumBars`` bars of the same length. A hold follows a stroke or another hold. Because the
  /// line repeats, its first step follows its last step.
  public let bars: [[PartStep]]
}
