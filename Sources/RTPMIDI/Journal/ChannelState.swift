import MIDI

/// What the messages of one channel have brought about. Where nothing is known the octet is ``unknown``: of what has
/// never been said, and of what Reset All Controllers has put back to a value that may differ from device to device.
struct ChannelState: BitwiseCopyable {
  static var unknown: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  /// Of each key's newest Note On while any of it is not ended; 0 where none is. The eighth bit marks one that is held
  /// by the sender and was not given out here.
  var velocities = InlineArray<128, UInt8>(repeating: 0)
  /// How many Note Ons of each key have had no Note Off, at most 127.
  var references = InlineArray<128, UInt8>(repeating: 0)
  var controllers = InlineArray<128, UInt8>(repeating: ChannelState.unknown)
  /// Polyphonic, by key.
  var pressures = InlineArray<128, UInt8>(repeating: ChannelState.unknown)
  /// How often pedals 64...69 have gone from off to on or back, modulo 64: odd is on.
  var toggles = InlineArray<6, UInt8>(repeating: 0)
  /// How many controllers 120...127 there were, modulo 64.
  var counts = InlineArray<8, UInt8>(repeating: 0)
  var program = ChannelState.unknown
  /// Controllers 0 and 32 when the program was chosen.
  var bankHigh = ChannelState.unknown
  var bankLow = ChannelState.unknown
  var pressure = ChannelState.unknown
  /// 0...16383, or 65535 if unknown.
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

  /// Parameters' values are not kept here: see ``ReceivedState``.
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

  /// What Reset All Controllers resets by RP-015: modulation, expression, pedals, the selected parameter, pitch wheel and
  /// pressures.
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

  /// All Sound Off, All Notes Off and the four modes.
  @_noLocks @_noAllocation
  private mutating func endNotes() {
    for key in 0..<128 { (velocities[key], references[key]) = (0, 0) }
  }
}
