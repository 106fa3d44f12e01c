import MIDI

/// The state of one channel of a received stream, as its messages have set it. An octet is ``unknown`` if its value was
/// never received, or if Reset All Controllers has set it to a value that may differ between devices.
///
/// The counts modulo 64 are those that the recovery journal contains, in Chapter C (``ControllerLog``).
struct ChannelState: BitwiseCopyable {
  static var unknown: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  /// For each key that is on, the velocity of its newest Note On; 0 for a key that is off. Bit 7 marks a note that is
  /// held at the sender but was not played here, because the journal did not recommend it (``NoteLog/isPlayRecommended``).
  var velocities = InlineArray<128, UInt8>(repeating: 0)
  /// For each key, the number of Note Ons without a Note Off, at most 127.
  var references = InlineArray<128, UInt8>(repeating: 0)
  /// The value of each controller.
  var controllers = InlineArray<128, UInt8>(repeating: ChannelState.unknown)
  /// Polyphonic pressure, by key.
  var pressures = InlineArray<128, UInt8>(repeating: ChannelState.unknown)
  /// For each of pedals 64...69, the number of changes between off (below 64) and on, modulo 64: odd means on.
  var toggles = InlineArray<6, UInt8>(repeating: 0)
  /// For each of controllers 120...127, the number of commands, modulo 64.
  var counts = InlineArray<8, UInt8>(repeating: 0)
  var program = ChannelState.unknown
  /// The values of controllers 0 and 32 (Bank Select) at the time of the newest program change.
  var bankHigh = ChannelState.unknown
  var bankLow = ChannelState.unknown
  /// The channel pressure.
  var pressure = ChannelState.unknown
  /// The pitch wheel, 0...16383; 65535 if unknown.
  var wheel = UInt16.max
  var selection = ParameterSelection()

  @_noLocks @_noAllocation
  init() {}

  @_noLocks @_noAllocation
  mutating func noteOn(_ key: UInt7, velocity: UInt7) {
    let key = Int(key.value)
    velocities[key] = velocity.value
    if references[key] < 127 { references[key] += 1 }
  }

  @_noLocks @_noAllocation
  mutating func noteOff(_ key: UInt7) {
    let key = Int(key.value)
    if references[key] > 1 {
      references[key] -= 1
    } else {
      (velocities[key], references[key]) = (0, 0)
    }
  }

  @_noLocks @_noAllocation
  mutating func programChange(_ program: UInt7) {
    self.program = program.value
    (bankHigh, bankLow) = (controllers[0], controllers[32])
  }

  /// Records a control change. ``ReceivedState`` records the values of parameters.
  @_noLocks @_noAllocation
  mutating func controlChange(_ controller: UInt7, value: UInt7) {
    let number = Int(controller.value)
    controllers[number] = value.value
    switch controller.value {
    case 64...69:
      let isOn = toggles[number - 64] & 1 != 0
      if isOn != (value.value >= 64) { toggles[number - 64] = (toggles[number - 64] + 1) & 0x3F }
    case 98...101: selection.select(controller, value)
    case 120...127:
      counts[number - 120] = (counts[number - 120] + 1) & 0x3F
      // 121 is Reset All Controllers, and 122 is Local Control.
      if number == 121 { resetControllers() } else if number != 122 { endNotes() }
    default: break
    }
  }

  /// Resets what Reset All Controllers resets by MIDI recommended practice RP-015: modulation (1), expression (11),
  /// pedals 64...67, the selected parameter, the pitch wheel and the pressures.
  @_noLocks @_noAllocation
  private mutating func resetControllers() {
    controllers[1] = Self.unknown
    controllers[11] = Self.unknown
    for pedal in 64...67 {
      controllers[pedal] = Self.unknown
      // The pedal is off, so the count becomes even.
      toggles[pedal - 64] = (toggles[pedal - 64] + (toggles[pedal - 64] & 1)) & 0x3F
    }
    selection = ParameterSelection()
    wheel = .max
    pressure = Self.unknown
    for key in 0..<128 { pressures[key] = Self.unknown }
  }

  /// Ends all notes, because of All Sound Off, All Notes Off or one of the four mode messages.
  @_noLocks @_noAllocation
  private mutating func endNotes() {
    for key in 0..<128 { (velocities[key], references[key]) = (0, 0) }
  }
}
