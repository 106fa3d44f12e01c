public import MIDI

/// The keys and the sustain pedals (controller 64) that are down on the sixteen channels, according to the messages that were
/// forwarded. When the keyboard is disconnected or the player leaves, ``release()`` gives the ends of all notes.
public struct HeldNotes: Sendable {
  /// The keys that are down: one bit per key, by channel.
  private var keys = InlineArray<16, UInt128>(repeating: 0)
  /// The sustain pedals that are down: one bit per channel.
  private var pedals: UInt16 = 0

  public init() {}

  /// Whether no key and no pedal is down.
  public var isEmpty: Bool {
    guard pedals == 0 else { return false }
    for channel in keys.indices where keys[channel] != 0 { return false }
    return true
  }

  /// Whether `message` ends a held note or lifts a pedal. Such a message must always be forwarded.
  public func ends(with message: Message) -> Bool {
    if let (channel, isDown) = message.pedal { return !isDown && pedals >> channel & 1 != 0 }
    guard message.silencesNote, let (channel, key) = message.note else { return false }
    return keys[channel] & 1 << key != 0
  }

  /// Records that `message` was forwarded.
  public mutating func note(_ message: Message) {
    if let (channel, isDown) = message.pedal {
      if isDown { pedals |= 1 << channel } else { pedals &= ~(1 << channel) }
    }
    guard let (channel, key) = message.note else { return }
    if message.silencesNote { keys[channel] &= ~(1 << key) } else { keys[channel] |= 1 << key }
  }

  /// Returns the messages that end all held notes and lift all pedals, and clears the state.
  public mutating func release() -> [Message] {
    var messages: [Message] = []
    for channel in keys.indices {
      while keys[channel] != 0 {
        let key = keys[channel].trailingZeroBitCount
        // Clears the lowest bit that is set.
        keys[channel] &= keys[channel] - 1
        messages.append(
          .noteOff(Channel(wire: UInt8(channel)), key: UInt7(masking: UInt8(key)), velocity: UInt7(masking: 64)))
      }
      if pedals >> channel & 1 != 0 {
        messages.append(.controlChange(Channel(wire: UInt8(channel)), controller: 64, value: 0))
      }
    }
    pedals = 0
    return messages
  }
}

extension Message {
  /// The channel, 0...15, and the key of a Note On or Note Off.
  fileprivate var note: (channel: Int, key: UInt128)? {
    switch self {
    case .noteOn(let channel, let key, _), .noteOff(let channel, let key, _):
      (Int(channel.wire), UInt128(key.value))
    default: nil
    }
  }

  /// The channel, 0...15, and whether the pedal is down: a value of 64 or more (MIDI 1.0, table III).
  fileprivate var pedal: (channel: Int, isDown: Bool)? {
    guard case .controlChange(let channel, 64, let value) = self else { return nil }
    return (Int(channel.wire), value.value >= 64)
  }
}
