/// A MIDI 1.0 message other than System Exclusive. A System Exclusive has no fixed size and is passed as its data bytes.
///
/// A message is a trivial value. Its data bytes cannot be out of range, so every message has exactly one encoding and
/// every encoding can be decoded. A Note On with velocity 0, which receivers treat as a Note Off, remains a Note On.
/// ``silencesNote`` is true for this Note On and for Note Off. Source: MIDI 1.0 Detailed Specification 4.2, tables I to V.
public enum Message: Hashable, Sendable, BitwiseCopyable {
  case noteOff(Channel, key: UInt7, velocity: UInt7)
  case noteOn(Channel, key: UInt7, velocity: UInt7)
  case polyphonicPressure(Channel, key: UInt7, pressure: UInt7)
  case controlChange(Channel, controller: UInt7, value: UInt7)
  case programChange(Channel, program: UInt7)
  case channelPressure(Channel, pressure: UInt7)
  /// 0...16383; 8192 is the centre.
  case pitchBend(Channel, UInt14)
  /// MIDI Time Code Quarter Frame. The upper three bits of the value are the number of the quarter frame, 0...7. The lower four bits
  /// are a part of the time code.
  case quarterFrame(UInt7)
  /// Song Position Pointer, in sixteenth notes from the start of the song.
  case songPosition(UInt14)
  /// The number of the selected song.
  case songSelect(UInt7)
  case tuneRequest
  case clock
  case start
  case `continue`
  case stop
  case activeSensing
  case reset

  /// Whether this is a System Real Time message (F8...FF). Its single byte may occur between the bytes of any other
  /// message.
  ///
  /// Real-time: safe.
  public var isRealTime: Bool { @_noLocks @_noAllocation get { status >= 0xF8 } }

  /// Whether the message is a Note On with a velocity other than 0.
  ///
  /// Real-time: safe.
  public var startsNote: Bool {
    @_noLocks @_noAllocation get {
      if case .noteOn(_, _, let velocity) = self { velocity.value > 0 } else { false }
    }
  }

  /// Whether this is a Note Off, or a Note On with velocity 0.
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

  /// Whether the message ends all notes of its channel: All Sound Off (controller 120), All Notes Off (123), or a mode
  /// message (124...127), which implies All Notes Off. Source: MIDI 1.0 Detailed Specification 4.2, table IV.
  ///
  /// Real-time: safe.
  public var endsAllNotes: Bool {
    @_noLocks @_noAllocation get {
      if case .controlChange(_, let controller, _) = self {
        controller.value == 120 || controller.value >= 123
      } else {
        false
      }
    }
  }

  /// Whether the message is a channel message, such as Note On or Control Change.
  ///
  /// Real-time: safe.
  public var isOfChannel: Bool { @_noLocks @_noAllocation get { status < 0xF0 } }

  /// The channel of the message; nil if the message is not a channel message.
  ///
  /// Real-time: safe.
  public var channel: Channel? { @_noLocks @_noAllocation get { isOfChannel ? Channel(wire: status) : nil } }

  /// The key of a Note On or Note Off; nil for any other message.
  ///
  /// Real-time: safe.
  public var key: UInt7? {
    @_noLocks @_noAllocation get {
      switch self {
      case .noteOn(_, let key, _), .noteOff(_, let key, _): key
      default: nil
      }
    }
  }

  /// Returns the same message on `channel`. Returns the message unchanged if `channel` is nil, or if the message is not a channel message.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func on(_ channel: Channel?) -> Message {
    guard isOfChannel, let channel else { return self }
    let octets = bytes.octets
    let status = octets[0] & 0xF0 | channel.wire
    guard let moved = Message(status: status, UInt7(masking: octets[1]), UInt7(masking: octets[2])) else { return self }
    return moved
  }
}
