/// Every message of MIDI 1.0 except System Exclusive, which has no fixed size and travels as a span of bytes.
///
/// A trivial value: no payload can be out of range, so every message has exactly one encoding and every encoding
/// decodes. A Note On of velocity 0, which receivers take for a Note Off, stays what it was sent as; ``silencesNote``
/// knows both. Source: MIDI 1.0 Detailed Specification 4.2, tables I to V.
public enum Message: Hashable, Sendable, BitwiseCopyable {
  case noteOff(Channel, key: UInt7, velocity: UInt7)
  case noteOn(Channel, key: UInt7, velocity: UInt7)
  case polyphonicPressure(Channel, key: UInt7, pressure: UInt7)
  case controlChange(Channel, controller: UInt7, value: UInt7)
  case programChange(Channel, program: UInt7)
  case channelPressure(Channel, pressure: UInt7)
  /// Centred at 8192.
  case pitchBend(Channel, UInt14)
  /// One piece of MIDI Time Code: which piece in the upper three bits, its value in the lower four.
  case quarterFrame(UInt7)
  /// In sixteenth notes from the start of the song.
  case songPosition(UInt14)
  case songSelect(UInt7)
  case tuneRequest
  case clock
  case start
  case `continue`
  case stop
  case activeSensing
  case reset

  /// System Real Time: its one byte, F8...FF, may stand between the bytes of any other message.
  ///
  /// Real-time: safe.
  public var isRealTime: Bool { @_noLocks @_noAllocation get { status >= 0xF8 } }

  /// A Note Off, or a Note On of velocity 0.
  ///
  /// Real-time: safe.
  public var silencesNote: Bool {
    @_noLocks @_noAllocation get {
      switch self {
      case .noteOff: true
      case .noteOn(_, _, let velocity): velocity.value == 0
      default: false
      }
    }
  }
}
