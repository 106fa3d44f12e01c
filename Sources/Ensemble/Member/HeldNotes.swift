public import MIDI

/// The keys, and the pedals (controller 64), that are down on the sixteen channels, as far as that has been passed on: so
/// that whoever heard it hears its end too, when the keyboard is pulled out or its player leaves.
public struct HeldNotes: Sendable {
  /// A bit for each key of a channel.
  private var keys = InlineArray<16, UInt128>(repeating: 0)
  /// A bit for each channel.
  private var pedals: UInt16 = 0

  public init() {}

  public var isEmpty: Bool {
    guard pedals == 0 else { return false }
    for channel in keys.indices where keys[channel] != 0 { return false }
    return true
  }

  /// Whether `message` ends a note that is held, or lifts a pedal that is down: then it must pass, whatever else may not.
  public func ends(with message: Message) -> Bool {
    if let (channel, isDown) = message.pedal { return !isDown && pedals >> channel & 1 != 0 }
    guard message.silencesNote, let (channel, key) = message.note else { return false }
    return keys[channel] & 1 << key != 0
  }

  /// Takes note that `message` has been passed on.
  public mutating func note(_ message: Message) {
    if let (channel, isDown) = message.pedal {
      if isDown { pedals |= 1 << channel } else { pedals &= ~(1 << channel) }
    }
    guard let (channel, key) = message.note else { return }
    if message.silencesNote { keys[channel] &= ~(1 << key) } else { keys[channel] |= 1 << key }
  }

  /// The messages that end what is held; then nothing is.
  public mutating func release() -> [Message] {
    var messages: [Message] = []
    for channel in keys.indices {
      while keys[channel] != 0 {
        let key = keys[channel].trailingZeroBitCount
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
  /// The wire's channel and key of a Note On or Off.
  fileprivate var note: (channel: Int, key: UInt128)? {
    switch self {
    case .noteOn(let channel, let key, _), .noteOff(let channel, let key, _):
      (Int(channel.wire), UInt128(key.value))
    default: nil
    }
  }

  /// The wire's channel, and whether the pedal is down from now on: 64 and more (MIDI 1.0, table III).
  fileprivate var pedal: (channel: Int, isDown: Bool)? {
    guard case .controlChange(let channel, 64, let value) = self else { return nil }
    return (Int(channel.wire), value.value >= 64)
  }
}
