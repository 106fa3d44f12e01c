public import MIDI

/// The pitches that one player sets for the instrument of another player: the keys that the first player holds. Each note of the
/// instrument plays one of these keys.
///
/// The key that was pressed last is played first. Further notes play the held keys in turn, in the order in which they were
/// pressed. If more than sixteen keys are held, the key that was pressed first is forgotten. When the last held key is released, notes
/// play this key until another key is pressed.
public struct BorrowedPitches: Sendable, BitwiseCopyable {
  private static var capacity: Int { @_noLocks @_noAllocation get { 16 } }

  /// The keys in the order in which they were pressed. The first ``count`` are used.
  private var keys = InlineArray<16, UInt8>(repeating: 0)
  private var count = 0
  /// The index of the key that the next note plays.
  private var next = 0
  /// Whether all keys have been released. One key then remains: the key that was released last or, after All Notes Off, the key that
  /// was pressed last.
  private var isReleased = false

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// The key that the next note plays; nil if no key was pressed yet.
  ///
  /// Real-time: safe.
  public var current: UInt8? { @_noLocks @_noAllocation get { count > 0 ? keys[next] : nil } }

  /// Records that a note has played ``current``, and moves to the next key.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func advance() { next = next &+ 1 < count ? next &+ 1 : 0 }

  /// Presses or releases the key of a Note On or Note Off. All Sound Off and All Notes Off release all keys. Other messages have no
  /// effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func receive(_ message: Message) {
    if message.endsAllNotes, count > 0 {
      keys[0] = keys[count &- 1]
      (count, next, isReleased) = (1, 0, true)
    }
    guard let key = message.key?.value else { return }
    if message.silencesNote { release(key) } else { press(key) }
  }

  @_noLocks @_noAllocation
  private mutating func press(_ key: UInt8) {
    if isReleased { (count, isReleased) = (0, false) }
    if let index = index(of: key) { remove(index) }
    if count == Self.capacity { remove(0) }
    keys[count] = key
    next = count
    count &+= 1
  }

  @_noLocks @_noAllocation
  private mutating func release(_ key: UInt8) {
    guard let index = index(of: key) else { return }
    guard count > 1 else {
      isReleased = true
      return
    }
    remove(index)
  }

  @_noLocks @_noAllocation
  private mutating func remove(_ removed: Int) {
    count &-= 1
    var index = removed
    while index < count {
      keys[index] = keys[index &+ 1]
      index &+= 1
    }
    if next > removed { next &-= 1 }
    if next >= count { next = 0 }
  }

  @_noLocks @_noAllocation
  private func index(of key: UInt8) -> Int? {
    var index = 0
    while index < count {
      if keys[index] == key { return index }
      index &+= 1
    }
    return nil
  }
}
