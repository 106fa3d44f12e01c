import MIDI

/// The keys that are down on the sixteen channels, as far as their Note On has been passed on: so that whoever heard it
/// hears its end too, when the keyboard is pulled out or its player leaves.
struct HeldNotes {
  /// A bit for each key of a channel.
  private var keys = InlineArray<16, UInt128>(repeating: 0)

  var isEmpty: Bool {
    for channel in keys.indices where keys[channel] != 0 { return false }
    return true
  }

  /// Whether `message` ends a note that is held: then it must pass, whatever else may not.
  func ends(with message: Message) -> Bool {
    guard message.silencesNote, let (channel, key) = message.note else { return false }
    return keys[channel] & 1 << key != 0
  }

  /// Takes note that `message` has been passed on.
  mutating func note(_ message: Message) {
    guard let (channel, key) = message.note else { return }
    if message.silencesNote { keys[channel] &= ~(1 << key) } else { keys[channel] |= 1 << key }
  }

  /// The messages that end what is held; then nothing is.
  mutating func release() -> [Message] {
    var messages: [Message] = []
    for channel in keys.indices {
      while keys[channel] != 0 {
        let key = keys[channel].trailingZeroBitCount
        keys[channel] &= keys[channel] - 1
        messages.append(
          .noteOff(Channel(wire: UInt8(channel)), key: UInt7(masking: UInt8(key)), velocity: UInt7(masking: 64)))
      }
    }
    return messages
  }
}

extension Message {
  /// The wire's channel and key of a Note On or Off.
  fileprivate var note: (channel: Int, key: UInt128)? {
    switch self {
    case .noteOn(let channel, let key, _), .noteOff(let channel, let key, _):
      (Int(channel.wire), UInt128(key.value))
    default: nil
    }
  }
}
