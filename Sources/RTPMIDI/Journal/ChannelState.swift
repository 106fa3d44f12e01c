import MIDI

/// The state of one channel of a received stream, as its messages have set it. An octet is ``unknown`` if its value was
/// never received, or if Reset All Controllers has set it to a value that may differ between devices.
///
/// The counts modulo 64 are those that the recovery journal contains, in Chapter C (``NumberedLog/Tool``).
struct ChannelState: BitwiseCopyable {
  static var unknown: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  /// For each key that is on, the velocity of its newest Note On; 0 for a key that is off. Bit 7 marks a note that is
  /// held at the sender but was not played here, because the journal did not recommend it (the flag Y of ``NumberedLog``).
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

/// The parameter that Data Entry, Data Increment and Data Decrement act on. Controllers 99 and 98 select a
/// non-registered parameter, 101 and 100 a registered one; 127 in both halves selects none (MIDI 1.0; RFC 6295,
/// appendix A.4).
struct ParameterSelection: BitwiseCopyable {
  /// Whether the newest of controllers 98...101 was for a non-registered parameter (98 or 99).
  private(set) var isNonRegistered = false
  /// Whether the newest of controllers 98...101 was the upper half of a number (99 or 101). The lower half may follow.
  private(set) var isPending = false
  // Both numbers are kept, because a later command can change one half of either number. 16383 means that both halves are 127.
  private var registered: UInt14 = 16383
  private var nonRegistered: UInt14 = 16383

  /// Creates a selection of no parameter.
  @_noLocks @_noAllocation
  init() {}

  /// Creates the selection of a parameter.
  @_noLocks @_noAllocation
  init(isNonRegistered: Bool, number: UInt14) {
    self.isNonRegistered = isNonRegistered
    if isNonRegistered { nonRegistered = number } else { registered = number }
  }

  /// The number of the selected parameter.
  var number: UInt14 { @_noLocks @_noAllocation get { isNonRegistered ? nonRegistered : registered } }
  /// Whether no parameter is selected.
  var isNone: Bool { @_noLocks @_noAllocation get { number.value == 16383 } }

  /// Applies one of controllers 98...101.
  @_noLocks @_noAllocation
  mutating func select(_ controller: UInt7, _ value: UInt7) {
    switch controller.value {
    case 98: nonRegistered = UInt14(low: value, high: nonRegistered.high)
    case 99: nonRegistered = UInt14(low: nonRegistered.low, high: value)
    case 100: registered = UInt14(low: value, high: registered.high)
    default: registered = UInt14(low: registered.low, high: value)
    }
    isNonRegistered = controller.value < 100
    isPending = controller.value & 1 == 1
  }

  /// Records that a command has changed the selected parameter, so its number is complete. If only the upper half has
  /// been sent, the lower half keeps its earlier value.
  @_noLocks @_noAllocation
  mutating func complete() { isPending = false }
}
