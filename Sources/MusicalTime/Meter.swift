/// A time signature: the grouping of steps into beats and bars. A beat lasts `4 / unit` quarter notes, and a quarter
/// note has four steps. A bar of 6/8 therefore has six beats of two steps.
public struct Meter: Hashable, Sendable, BitwiseCopyable {
  /// Beats per bar, 1...16: the numerator of the time signature.
  public let beats: Int
  /// The note value of a beat: 2, 4, 8 or 16, the denominator of the time signature.
  public let unit: Int

  /// 4/4.
  public static let common = Meter(uncheckedBeats: 4, unit: 4)

  /// Creates the time signature `beats`/`unit`.
  ///
  /// - Returns: nil unless `beats` is 1...16 and `unit` is 2, 4, 8 or 16.
  ///
  /// Real-time: not safe.
  public init?(beats: Int, unit: Int) {
    guard (1...16).contains(beats), [2, 4, 8, 16].contains(unit) else { return nil }
    self.init(uncheckedBeats: beats, unit: unit)
  }

  private init(uncheckedBeats beats: Int, unit: Int) { (self.beats, self.unit) = (beats, unit) }

  /// Steps per beat: 8 for a half note, 4 for a quarter, 2 for an eighth, 1 for a sixteenth.
  ///
  /// Real-time: safe.
  public var stepsPerBeat: Int64 { @_noLocks @_noAllocation get { Int64(16 / unit) } }
  /// Steps per bar.
  ///
  /// Real-time: safe.
  public var stepsPerBar: Int64 { @_noLocks @_noAllocation get { Int64(beats) * Int64(16 / unit) } }
  /// Ticks per bar.
  ///
  /// Real-time: safe.
  public var ticksPerBar: Int64 { @_noLocks @_noAllocation get { stepsPerBar * Tick.perStep } }

  /// Returns the bar and the beat that contain `tick`, both counted from 1 as musicians do. Tick 0 is bar 1, beat 1.
  /// Earlier bars have the numbers 0, -1 and so on.
  ///
  /// Real-time: not safe.
  public func position(of tick: Tick) -> (bar: Int64, beat: Int64) {
    let step = tick.step.index
    // The bar counted from 0, rounded down for negative steps too.
    let bar = step >= 0 ? step / stepsPerBar : (step - stepsPerBar + 1) / stepsPerBar
    return (bar + 1, (step - bar * stepsPerBar) / stepsPerBeat + 1)
  }
}
