import MIDI

/// The keys that a remote player holds, in the order in which they were pressed. When no key is held any longer, the key that was
/// released last remains, until the next key is pressed. These are the rules of ``Rhythm/BorrowedPitches``. After All Notes Off, the key
/// that was pressed last remains.
struct HeldKeys: Encodable, Equatable {
  /// The maximum number of keys. Of more keys, the oldest one is forgotten.
  static let capacity = 16

  /// At most ``capacity`` keys.
  private(set) var keys: [UInt8] = []
  /// The number of keys that were pressed so far. The newest one is the last of ``keys``, unless it was released.
  private(set) var presses = 0
  /// Whether the only key was released.
  private var isReleased = false

  private enum CodingKeys: String, CodingKey { case keys, presses }

  /// Presses or releases a key. Returns whether anything has changed.
  mutating func receive(_ message: Message) -> Bool {
    if message.endsAllNotes {
      guard !isReleased, let last = keys.last else { return false }
      (keys, isReleased) = ([last], true)
      return true
    }
    guard let key = message.key?.value else { return false }
    return message.silencesNote ? release(key) : press(key)
  }

  private mutating func press(_ key: UInt8) -> Bool {
    if isReleased { (keys, isReleased) = ([], false) }
    keys.removeAll { $0 == key }
    if keys.count == Self.capacity { keys.removeFirst() }
    keys.append(key)
    presses += 1
    return true
  }

  private mutating func release(_ key: UInt8) -> Bool {
    guard let index = keys.firstIndex(of: key), !isReleased else { return false }
    if keys.count > 1 { keys.remove(at: index) } else { isReleased = true }
    return true
  }
}
