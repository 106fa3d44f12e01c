import MIDI

/// The keys that a remote player holds, in the order in which they were pressed. This player can set the pitches of an instrument on a
/// page: each note of the instrument then takes its pitch from one of these keys, in turn, as with ``Rhythm/BorrowedPitches``.
///
/// When no key is held any longer, the key that was released last remains, until the next key is pressed. After All Notes Off, the key
/// that was pressed last remains.
struct HeldKeys: Encodable, Equatable {
  /// The maximum number of keys. If more keys are held, the oldest ones are forgotten.
  static let capacity = 16

  /// At most ``capacity`` keys.
  private(set) var keys: [UInt8] = []
  /// How many times a key was pressed so far. A change tells a page that the last of ``keys`` is a new key, which the next note plays.
  private(set) var presses = 0
  /// Whether no key is held. ``keys`` then contains only the key that remains.
  private var isReleased = false

  private enum CodingKeys: String, CodingKey { case keys, presses }

  /// Presses or releases the key of a message, or releases all keys. Returns whether anything has changed.
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
