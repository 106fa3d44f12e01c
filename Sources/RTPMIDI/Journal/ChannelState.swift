import MIDI

/// The state of one channel that results from its messages. An octet is ``unknown`` if its value was never received, or
/// if Reset All Controllers has set it to a value that may differ between devices.
struct ChannelState: BitwiseCopyable {
  static var unknown: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  /// For each key, the velocity of the newest Note On while a Note Off is outstanding; otherwise 0. Bit 7 marks a note
  /// that is held at the sender but was not played here.
  var velocities = InlineArray<128, UInt8>(repeating: 0)
  /// For each key, the number of Note Ons without a Note Off, at most 127.
  var references = InlineArray<128, UInt8>(repeating: 0)
  var controllers = InlineArray<128, UInt8>(repeating: ChannelState.unknown)
  /// Polyphonic pressure, by key.
  var pressures = InlineArray<128, UInt8>(repeating: ChannelState.unknown)
  /// The number of changes of pedals 64...69 between off and on, modulo 64: odd means on.
  var toggles = InlineArray<6, UInt8>(repeating: 0)
  /// For each of controllers 120...127, the number of commands, modulo 64.
  var counts = InlineArray<8, UInt8>(repeating: 0)
  var program = ChannelState.unknown
  /// Controllers 0 and 32 at the time of the program change.
  var bankHigh = ChannelState.unknown
  var bankLow = ChannelState.unknown
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

  /// Records a control change. The values of parameters are kept in ``ReceivedState``.
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
      if number == 121 { resetControllers() } else if number != 122 { endNotes() }
    default: break
    }
  }

  /// Resets what Reset All Controllers resets by RP-015: modulation, expression, pedals, the selected parameter, the
  /// pitch wheel and the pressures.
  @_noLocks @_noAllocation
  private mutating func resetControllers() {
    controllers[1] = Self.unknown
    controllers[11] = Self.unknown
    for pedal in 64...67 {
      controllers[pedal] = Self.unknown
      toggles[pedal - 64] = (toggles[pedal - 64] + (toggles[pedal - 64] & 1)) & 0x3F
    }
    selection = ParameterSelection()
    wheel = .max
    pressure = Self.unknown
    for key in 0..<128 { pressures[key] = Self.unknown }
  }

  /// Ends all notes after All Sound Off, All Notes Off or one of the four mode messages.
  @_noLocks @_noAllocation
  private mutating func endNotes() {
    for key in 0..<128 { (velocities[key], references[key]) = (0, 0) }
  }
}
