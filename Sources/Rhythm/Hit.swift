/// A stroke of the compiled patch, with the activities at which it sounds.
public struct Hit: Hashable, Sendable, BitwiseCopyable {
  /// Note number on the drum channel, 0...127.
  public let note: UInt8
  /// 1...127.
  public let velocity: UInt8
  /// The cut-off group, 1...``Patch/mostGroups``, or 0 for none: the stroke silences what still rings of its group.
  public let group: UInt8
  /// The least total activity at which it sounds, 0...127.
  public let from: UInt8
  /// The greatest total activity at which it sounds, `from`...127.
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

  /// Whether it sounds at a total `activity` of 0...127. More than 127 counts as 127: the liveliest must not fall
  /// silent.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func sounds(at activity: UInt8) -> Bool {
    let activity = activity < 127 ? activity : 127
    return from <= activity && activity <= to
  }
}
