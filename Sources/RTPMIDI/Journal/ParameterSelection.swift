import MIDI

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
}
