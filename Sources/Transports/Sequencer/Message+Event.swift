import CALSA
internal import MIDI

/// Lossless conversion between MIDI messages and ALSA sequencer events. A Note On with velocity 0 remains a Note On.
/// The centre of pitch bend is 0 in ALSA and 8192 in MIDI. Source: seq_event.h of alsa-lib.
extension snd_seq_event_t {
  /// Creates the event for `message`, without source, destination and time.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ message: Message) {
    self.init()
    switch message {
    case .noteOff(let channel, let key, let velocity): set(SND_SEQ_EVENT_NOTEOFF, channel, key: key, velocity: velocity)
    case .noteOn(let channel, let key, let velocity): set(SND_SEQ_EVENT_NOTEON, channel, key: key, velocity: velocity)
    case .polyphonicPressure(let channel, let key, let pressure):
      set(SND_SEQ_EVENT_KEYPRESS, channel, key: key, velocity: pressure)
    case .controlChange(let channel, let controller, let value):
      set(SND_SEQ_EVENT_CONTROLLER, channel.wire, param: controller.value, value: Int32(value.value))
    case .programChange(let channel, let program):
      set(SND_SEQ_EVENT_PGMCHANGE, channel.wire, value: Int32(program.value))
    case .channelPressure(let channel, let pressure):
      set(SND_SEQ_EVENT_CHANPRESS, channel.wire, value: Int32(pressure.value))
    case .pitchBend(let channel, let bend):
      set(SND_SEQ_EVENT_PITCHBEND, channel.wire, value: Int32(bend.value) - 8192)
    case .quarterFrame(let piece): set(SND_SEQ_EVENT_QFRAME, value: Int32(piece.value))
    case .songPosition(let position): set(SND_SEQ_EVENT_SONGPOS, value: Int32(position.value))
    case .songSelect(let song): set(SND_SEQ_EVENT_SONGSEL, value: Int32(song.value))
    case .tuneRequest: set(SND_SEQ_EVENT_TUNE_REQUEST)
    case .clock: set(SND_SEQ_EVENT_CLOCK)
    case .start: set(SND_SEQ_EVENT_START)
    case .continue: set(SND_SEQ_EVENT_CONTINUE)
    case .stop: set(SND_SEQ_EVENT_STOP)
    case .activeSensing: set(SND_SEQ_EVENT_SENSING)
    case .reset: set(SND_SEQ_EVENT_RESET)
    }
  }

  /// The message of the event. Nil if the event type has no message, or if the channel or a value is out of range.
  ///
  /// Real-time: safe.
  var message: Message? {
    @_noLocks @_noAllocation get {
      // The numbers in hexadecimal are MIDI status octets.
      switch snd_seq_event_type(UInt32(type)) {
      case SND_SEQ_EVENT_NOTEOFF: note(0x80)
      case SND_SEQ_EVENT_NOTEON: note(0x90)
      case SND_SEQ_EVENT_KEYPRESS: note(0xA0)
      case SND_SEQ_EVENT_CONTROLLER: controlChange
      case SND_SEQ_EVENT_PGMCHANGE: channelValue(0xC0)
      case SND_SEQ_EVENT_CHANPRESS: channelValue(0xD0)
      // The mask only keeps the status octet valid. `word` rejects a channel above 15.
      case SND_SEQ_EVENT_PITCHBEND: word(0xE0 | (data.control.channel & 15), centre: 8192)
      case SND_SEQ_EVENT_QFRAME: value(0xF1)
      case SND_SEQ_EVENT_SONGPOS: word(0xF2, centre: 0)
      case SND_SEQ_EVENT_SONGSEL: value(0xF3)
      case SND_SEQ_EVENT_TUNE_REQUEST: .tuneRequest
      case SND_SEQ_EVENT_CLOCK: .clock
      case SND_SEQ_EVENT_START: .start
      case SND_SEQ_EVENT_CONTINUE: .continue
      case SND_SEQ_EVENT_STOP: .stop
      case SND_SEQ_EVENT_SENSING: .activeSensing
      case SND_SEQ_EVENT_RESET: .reset
      default: nil
      }
    }
  }
}

// Fields that several event types have in common.
extension snd_seq_event_t {
  /// Sets the fields of a note event. ALSA stores key pressure in the field for the velocity.
  @_noLocks @_noAllocation
  private mutating func set(
    _ kind: snd_seq_event_type, _ channel: Channel, key: UInt7, velocity: UInt7
  ) {
    type = UInt8(truncatingIfNeeded: kind.rawValue)
    data.note.channel = channel.wire
    data.note.note = key.value
    data.note.velocity = velocity.value
  }

  /// Sets the fields of an event of any other type.
  @_noLocks @_noAllocation
  private mutating func set(_ kind: snd_seq_event_type, _ channel: UInt8 = 0, param: UInt8 = 0, value: Int32 = 0) {
    type = UInt8(truncatingIfNeeded: kind.rawValue)
    data.control.channel = channel
    data.control.param = UInt32(param)
    data.control.value = value
  }

  /// Returns the message of a note event. `status` is the status octet with channel 0.
  @_noLocks @_noAllocation
  private func note(_ status: UInt8) -> Message? {
    let note = data.note
    guard note.channel < 16, note.note < 128, note.velocity < 128 else { return nil }
    return Message(status: status | note.channel, UInt7(masking: note.note), UInt7(masking: note.velocity))
  }

  private var controlChange: Message? {
    @_noLocks @_noAllocation get {
      let control = data.control
      guard control.channel < 16, control.param < 128, control.value >= 0, control.value < 128 else { return nil }
      return .controlChange(
        Channel(wire: control.channel), controller: UInt7(clamping: Int(control.param)),
        value: UInt7(clamping: Int(control.value)))
    }
  }

  /// Returns the message of a channel event with one value. `status` is the status octet with channel 0.
  @_noLocks @_noAllocation
  private func channelValue(_ status: UInt8) -> Message? {
    data.control.channel < 16 ? value(status | data.control.channel) : nil
  }

  /// Returns the message with the complete status octet `status` and one value of 7 bits.
  @_noLocks @_noAllocation
  private func value(_ status: UInt8) -> Message? {
    guard let value = UInt7(exactly: Int(data.control.value)) else { return nil }
    return Message(status: status, value)
  }

  /// Returns the message with the complete status octet `status` and a value of 14 bits: the value of the
  /// ALSA event plus `centre`.
  @_noLocks @_noAllocation
  private func word(_ status: UInt8, centre: Int) -> Message? {
    guard data.control.channel < 16, let word = UInt14(exactly: Int(data.control.value) + centre) else { return nil }
    return Message(status: status, word.low, word.high)
  }
}
