/// How steps group into beats and bars. A beat here is `4 / unit` of a quarter note long, so 6/8 has six beats of two
/// steps.
public struct Meter: Hashable, Sendable, BitwiseCopyable {
  /// Beats a bar, 1...16.
  public let beats: Int
  /// The note value of a beat: 2, 4, 8 or 16.
  public let unit: Int

  /// 4/4.
  public static let common = Meter(uncheckedBeats: 4, unit: 4)

  /// - Returns: nil unless `beats` is 1...16 and `unit` 2, 4, 8 or 16.
  public init?(beats: Int, unit: Int) {
    guard (1...16).contains(beats), [2, 4, 8, 16].contains(unit) else { return nil }
    self.init(uncheckedBeats: beats, unit: unit)
  }

  private init(uncheckedBeats beats: Int, unit: Int) { (self.beats, self.unit) = (beats, unit) }

  /// Steps a beat: 8 for a half note, 4 for a quarter, 2 for an eighth, 1 for a sixteenth.
  ///
  /// Real-time: safe.
  public var stepsPerBeat: Int64 { @_noLocks @_noAllocation get { Int64(16 / unit) } }
  /// Steps a bar.
  ///
  /// Real-time: safe.
  public var stepsPerBar: Int64 { @_noLocks @_noAllocation get { Int64(beats) * Int64(16 / unit) } }
  /// Ticks a bar.
  ///
  /// Real-time: safe.
  public var ticksPerBar: Int64 { @_noLocks @_noAllocation get { Int64(beats) * Int64(16 / unit) * 6 } }

  /// Where `tick` lies, counted from one as musicians do: bar 1, beat 1 is the downbeat. Before it, bars are 0 and
  /// less.
  public func position(of tick: Tick) -> (bar: Int64, beat: Int64) {
    let step = tick.step.index
    let bar = step >= 0 ? step / stepsPerBar : (step - stepsPerBar + 1) / stepsPerBar
    return (bar + 1, (step - bar * stepsPerBar) / stepsPerBeat + 1)
  }
}
