public import MusicalTime

/// One drum of a patch.
public struct Voice: Hashable, Sendable {
  /// The name by which the lines refer to the drum.
  public let name: String
  /// The note number on a General MIDI drum channel, 0...127 (35 to 81 sound on every General MIDI device). No other voice of the patch
  /// has the same number.
  public let note: UInt8
  /// The name of the cut-off group, or nil. A stroke stops all sounding notes of its group, as a closing hi-hat does.
  public let group: String?
  /// How much later than the grid the drum sounds, -``maximumFeel``...``maximumFeel``. A negative value pushes, a positive
  /// value drags.
  public internal(set) var feel: Nanoseconds = .zero
  /// The loudness in percent of the velocity of the written stroke, 10...150.
  public internal(set) var level = 100

  /// The largest distance from the grid.
  public static let maximumFeel = Nanoseconds.milliseconds(50)
}
