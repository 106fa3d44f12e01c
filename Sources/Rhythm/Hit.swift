public import MusicalTime

/// A note of a ``StepTable`` that sounds at a certain step and activity.
public struct Hit: Hashable, Sendable, BitwiseCopyable {
  /// Note number on the drum channel, 0...127.
  public let note: UInt8
  /// MIDI velocity, 1...127.
  public let velocity: UInt8
  /// The cut-off group, 1...``Patch/maximumGroups``, or 0 for none. The hit stops all sounding notes of its group.
  public let group: UInt8
  /// The position after the first tick of the step, in thousandths of a tick, 0...6000: the place of a triplet within the
  /// step, and the swing.
  public let position: Int32
  /// How much later than this position the hit sounds. Negative for a pushed voice and for the grace note of a flam.
  public let delay: Nanoseconds
  /// Whether this is the grace note of a flam.
  public let isGrace: Bool

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(note: UInt8, velocity: UInt8, group: UInt8, position: Int32, delay: Nanoseconds, isGrace: Bool) {
    (self.note, self.velocity, self.group) = (note, velocity, group)
    (self.position, self.delay, self.isGrace) = (position, delay, isGrace)
  }
}
