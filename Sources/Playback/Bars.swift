public import MIDI
public import MusicalTime

/// The length of a bar and the length of the pattern. The pattern is the sequence of steps that a rhythm repeats. The two lengths
/// determine at which ticks a late joiner can begin, and which Song Position it gets. This small value is for threads that do not
/// need the complete pattern.
public struct Bars: Sendable, BitwiseCopyable {
  private let stepsPerBar: Int64
  private let stepsPerPattern: Int64

  /// Creates the value for one rhythm.
  ///
  /// - Parameters:
  ///   - stepsPerBar: the length of a bar in steps, at least 1.
  ///   - stepsPerPattern: the length of the pattern in steps, 1...16384.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(stepsPerBar: Int64, stepsPerPattern: Int64) {
    self.stepsPerBar = stepsPerBar
    self.stepsPerPattern = stepsPerPattern
  }

  /// The Song Position value for `step`. The value has 14 bits, 0...16383: it is the step number modulo the largest
  /// multiple of the pattern length that is at most 16384. A receiver with the same pattern therefore begins at the
  /// right step of the pattern.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func songPosition(of step: Step) -> UInt14 {
    UInt14(clamping: Int(step.index % (16384 / stepsPerPattern * stepsPerPattern)))
  }

  /// Whether a receiver can begin at `tick`: at the start of `schedule`, or at the beginning of a bar.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func begins(at tick: Tick, of schedule: PlaybackSchedule) -> Bool {
    tick == schedule.start || tick.index % (stepsPerBar * Tick.perStep) == 0
  }
}
