/// The strokes of one drum, or of one tone of a pitched part, in one layer (``Layer``), or in the fill (``Fill``).
///
/// The line repeats until the end of the pattern (``Patch/bars``), so a line of one bar need not be written twice in a pattern of two bars.
public struct PatternLine<Voice: Hashable & Sendable, Stroke: Hashable & Sendable>: Hashable, Sendable {
  /// The index of the drum in ``Patch/kit``, or the tone.
  public let voice: Voice
  /// The index of the layer in ``Patch/layers`` or ``PitchedPart/layers``; nil for a line of the fill.
  public let layer: Int?
  /// The range of total activity, of all players together, in which the line sounds, within 0...127.
  public let activity: ClosedRange<UInt8>
  /// Whether the line, while it sounds, replaces all earlier lines of the same voice. Otherwise it adds strokes to these lines.
  public let replaces: Bool
  /// The chance of each stroke at the least activity of ``activity``, in percent.
  public let lowActivityChance: Int
  /// The chance of each stroke at the greatest activity of ``activity``, in percent. Between these activities, the chance changes
  /// linearly.
  public let highActivityChance: Int
  /// The number of strokes and rests per quarter note: 4, or 3 or 6 for triplets.
  public let strokesPerQuarter: Int
  /// The strokes of each bar, 1...``maximumBars`` bars of the same length.
  public let bars: [[Stroke]]

  /// The largest number of bars of a line.
  public static var maximumBars: Int { 8 }
}

/// A line of a drum. Nil is a rest.
public typealias Line = PatternLine<Int, Stroke?>

/// A line of a pitched part. A hold follows a stroke or another hold. Because the line repeats, its first step follows its last step.
public typealias PartLine = PatternLine<PartTone, PartStep>
