/// A note of a ``StepTable``, with the range of total activity in which it sounds.
public struct Hit: Hashable, Sendable, BitwiseCopyable {
  /// Note number on the drum channel, 0...127.
  public let note: UInt8
  /// MIDI velocity, 1...127.
  public let velocity: UInt8
  /// The cut-off group, 1...``Patch/maximumGroups``, or 0 for none. The hit stops all sounding notes of its group.
  public let group: UInt8
  /// The least total activity at which the hit sounds, 0...127.
  public let from: UInt8
  /// The greatest total activity at which the hit sounds, `from`...127.
  public let to: UInt8

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(note: UInt8, velocity: UInt8, group: UInt8, from: UInt8, to: UInt8) {
    self.note = note
    self.velocity = velocity
    self.group = group
    self.from = from
    self.to = to
  }

  /// Whether the hit sounds at a total `activity` of 0...127. A larger value counts as 127, so that a too large value
  /// does not silence the rhythm.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func sounds(at activity: UInt8) -> Bool {
    let activity = activity < 127 ? activity : 127
    return from <= activity && activity <= to
  }
}
