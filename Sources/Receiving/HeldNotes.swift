public import MIDI

/// The keys and the sustain pedals (controller 64) that are down on the sixteen channels, according to the messages that were
/// forwarded. When the keyboard is disconnected or the player leaves, ``release()`` returns the messages that end all notes.
public struct HeldNotes: Sendable {
  /// The keys that are down: one bit per key, by channel.
  private var keys = InlineArray<16, UInt128>(repeating: 0)
  /// The sustain pedals that are down: one bit per channel.
  private var pedals: UInt16 = 0
  /// The channels with a note since the last All Sound Off, one bit per channel. Notes of released keys may still sound, because
  /// of a pedal or of their release phase. All Sound Off (controller 120) ends these notes too.
  private var sounding: UInt16 = 0

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Whether no key and no pedal is down.
  ///
  /// Real-time: safe.
  public var isEmpty: Bool {
    @_noLocks @_noAllocation get {
      guard pedals == 0 else { return false }
      for channel in 0..<keys.count where keys[channel] != 0 { return false }
      return true
    }
  }

  /// Whether `message` ends a held note, lifts a pedal, or silences a channel on which a note was played. Such a message
  /// must always be forwarded.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func ends(with message: Message) -> Bool {
    guard let channel = message.channel?.wire else { return false }
    let index = Int(channel)
    if message.endsAllNotes { return keys[index] != 0 || message.isAllSoundOff && sounding >> channel & 1 != 0 }
    if let isDown = message.holdsPedal { return !isDown && pedals >> channel & 1 != 0 }
    guard message.silencesNote, let key = message.key?.value else { return false }
    return keys[index] >> key & 1 != 0
  }

  /// Records that `message` was forwarded.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func record(_ message: Message) {
    guard let channel = message.channel?.wire else { return }
    let index = Int(channel)
    if message.endsAllNotes {
      // A pedal stays down: All Notes Off acts like the release of all keys.
      keys[index] = 0
      if message.isAllSoundOff { sounding &= ~(1 << channel) }
    }
    if let isDown = message.holdsPedal {
      if isDown { pedals |= 1 << channel } else { pedals &= ~(1 << channel) }
    }
    guard let key = message.key?.value else { return }
    if message.silencesNote {
      keys[index] &= ~(1 << key)
    } else {
      keys[index] |= 1 << key
      sounding |= 1 << channel
    }
  }

  /// Removes the first held note or pedal, and returns the message that ends the note or lifts the pedal; nil if there is none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func releaseNext() -> Message? {
    for index in 0..<keys.count {
      let channel = Channel(wire: UInt8(truncatingIfNeeded: index))
      if keys[index] != 0 {
        let key = keys[index].trailingZeroBitCount
        // Clears the lowest bit that is set.
        keys[index] &= keys[index] - 1
        return .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key)), velocity: UInt7(masking: 64))
      }
      if pedals >> index & 1 != 0 {
        pedals &= ~(1 << index)
        return .controlChange(channel, controller: UInt7(masking: 64), value: UInt7(masking: 0))
      }
    }
    return nil
  }

  /// Returns the messages that end all held notes and lift all pedals, and clears the state.
  ///
  /// Real-time: not safe.
  public mutating func release() -> [Message] {
    var messages: [Message] = []
    while let message = releaseNext() { messages.append(message) }
    return messages
  }
}

extension Message {
  /// Whether the message presses the sustain pedal (true) or lifts it (false). A value of 64 or more presses the pedal
  /// (MIDI 1.0, table III). Reset All Controllers (121) lifts the pedal (RP-015). Nil for a message that does not move
  /// the pedal.
  fileprivate var holdsPedal: Bool? {
    @_noLocks @_noAllocation get {
      guard case .controlChange(_, let controller, let value) = self else { return nil }
      if controller.value == 64 { return value.value >= 64 }
      return controller.value == 121 ? false : nil
    }
  }

  fileprivate var isAllSoundOff: Bool {
    @_noLocks @_noAllocation get {
      guard case .controlChange(_, let controller, _) = self else { return false }
      return controller.value == 120
    }
  }
}
