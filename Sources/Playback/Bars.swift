public import MIDI
public import MusicalTime

/// Where bars begin, and how long the pattern is: what a device that comes late has to know of the rhythm. Small, so that
/// a tick does not carry the whole pattern.
public struct Bars: Sendable, BitwiseCopyable {
  private let stepsPerBar: Int64
  private let stepsPerPattern: Int64

  /// - Parameters:
  ///   - stepsPerBar: at least 1.
  ///   - stepsPerPattern: the length of the pattern in steps, at least 1.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(stepsPerBar: Int64, stepsPerPattern: Int64) {
    self.stepsPerBar = stepsPerBar
    self.stepsPerPattern = stepsPerPattern
  }

  /// Song Position for `step`. It has 14 bits: the place modulo the largest multiple of the pattern's length that fits.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func songPosition(of step: Step) -> UInt14 {
    UInt14(clamping: Int(step.index % (16384 / stepsPerPattern * stepsPerPattern)))
  }

  /// Whether a receiver that was not there at the start of `schedule` can begin at `tick`: on a bar. At the start everybody
  /// can.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func begins(at tick: Tick, of schedule: PlaybackSchedule) -> Bool {
    tick == schedule.start || tick.index % (stepsPerBar * Tick.perStep) == 0
  }
}
