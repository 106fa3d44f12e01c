import MIDI

/// The channels whose notes lane 0 of a ``ChannelSynthesizer`` plays, because each note depends on the earlier notes of its
/// channel. With portamento or legato, a note continues the previous note. On the drum channel, a note can end an earlier note, as a
/// closed hi-hat ends an open one. Each property has one bit per channel.
struct FirstLaneNotes: BitwiseCopyable {
  /// The channels with portamento (CC 65).
  private var portamento: UInt16 = 0
  /// The channels with the legato pedal (CC 68).
  private var legato: UInt16 = 0
  /// The channels whose next note glides (CC 84).
  private var gliding: UInt16 = 0
  /// Channel 10, the drums.
  private static var drums: UInt16 { @_noLocks @_noAllocation get { 1 << 9 } }

  @_noLocks @_noAllocation
  init() {}

  /// Whether lane 0 plays the next note of `channel`.
  @_noLocks @_noAllocation
  func contains(_ channel: Channel) -> Bool { (Self.drums | portamento | legato | gliding) & bit(of: channel) != 0 }

  /// Updates the channels after `message`, which is neither a note nor Portamento Control.
  @_noLocks @_noAllocation
  mutating func update(with message: Message) {
    guard case .controlChange(let channel, let controller, let value) = message else { return }
    let bit = bit(of: channel)
    switch controller.value {
    case 65: portamento = value.value >= 64 ? portamento | bit : portamento & ~bit
    case 68: legato = value.value >= 64 ? legato | bit : legato & ~bit
    case 121: (portamento, legato, gliding) = (portamento & ~bit, legato & ~bit, gliding & ~bit)
    default: break
    }
  }

  /// Records Portamento Control: the next note of `channel` glides.
  @_noLocks @_noAllocation
  mutating func glide(on channel: Channel) { gliding |= bit(of: channel) }

  /// Records the beginning of a note on `channel`. Portamento Control applies to one note only, so the next note does not glide.
  @_noLocks @_noAllocation
  mutating func noteBegan(on channel: Channel) { gliding &= ~bit(of: channel) }

  @_noLocks @_noAllocation
  private func bit(of channel: Channel) -> UInt16 { 1 &<< UInt16(channel.wire) }
}
