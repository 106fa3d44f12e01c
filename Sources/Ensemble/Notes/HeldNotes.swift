public import MIDI

/// The keys and the sustain pedals (controller 64) that are down on the sixteen channels, according to the messages that were
/// forwarded. When the keyboard is disconnected or the player leaves, ``release()`` gives the ends of all notes.
public struct HeldNotes: Sendable {
  /// The keys that are down: one bit per key, by channel.
  private var keys = InlineArray<16, UInt128>(repeating: 0)
  /// The sustain pedals that are down: one bit per channel.
  private var pedals: UInt16 = 0
  /// The channels with a note since the last All Sound Off, one bit per channel. Released notes may still sound, because
  /// of a pedal or of their release phase. All Sound Off (controller 120) ends them too.
  private var sounding: UInt16 = 0

  public init() {}

  /// Whether no key and no pedal is down.
  public var isEmpty: Bool {
    guard pedals == 0 else { return false }
    for channel in keys.indices where keys[channel] != 0 { return false }
    return true
  }

  /// Whether `message` ends a held note, lifts a pedal, or silences a channel on which a note was played. Such a message
  /// must always be forwarded.
  public func ends(with message: Message) -> Bool {
    if message.endsAllNotes, let channel = message.channel.map({ Int($0.wire) }) {
      return keys[channel] != 0 || message.isAllSoundOff && sounding >> channel & 1 != 0
    }
    if let (channel, isDown) = message.pedal { return !isDown && pedals >> channel & 1 != 0 }
    guard message.silencesNote, let (channel, key) = message.note else { return false }
    return keys[channel] & 1 << key != 0
  }

  /// Records that `message` was forwarded.
  public mutating func note(_ message: Message) {
    if message.endsAllNotes, let channel = message.channel.map({ Int($0.wire) }) {
      // A pedal stays down: All Notes Off acts like the release of all keys.
      keys[channel] = 0
      if message.isAllSoundOff { sounding &= ~(1 << channel) }
    }
    if let (channel, isDown) = message.pedal {
      if isDown { pedals |= 1 << channel } else { pedals &= ~(1 << channel) }
    }
    guard let (channel, key) = message.note else { return }
    if message.silencesNote {
      keys[channel] &= ~(1 << key)
    } else {
      keys[channel] |= 1 << key
      sounding |= 1 << channel
    }
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

  /// The channel, 0...15, and whether the pedal is down: a value of 64 or more (MIDI 1.0, table III). Reset All Controllers
  /// (121) lifts the pedal (RP-015).
  fileprivate var pedal: (channel: Int, isDown: Bool)? {
    switch self {
    case .controlChange(let channel, 64, let value): (Int(channel.wire), value.value >= 64)
    case .controlChange(let channel, 121, _): (Int(channel.wire), false)
    default: nil
    }
  }

  fileprivate var isAllSoundOff: Bool {
    if case .controlChange(_, 120, _) = self { true } else { false }
  }
}
