import MIDI

/// What the chapters of a channel need to know of the whole stream: the bank, the parameter chosen, and how often each
/// pedal has changed.
struct ChannelHistory: BitwiseCopyable {
  /// A parameter's number as controllers 98...101 have told it; both halves 127 before they have.
  struct Selection: BitwiseCopyable {
    var high: UInt7 = 127
    var low: UInt7 = 127

    @_noLocks @_noAllocation
    init() {}

    var isNull: Bool { @_noLocks @_noAllocation get { high.value & low.value == 127 } }
  }

  /// Controllers 0 and 32, nil when neither has been sent.
  var bank: ChapterP.Bank?
  private var registered = Selection()
  private var nonRegistered = Selection()
  /// Which of the two was told newest; nil when neither has been.
  private(set) var isNonRegistered: Bool?
  /// The newest of controllers 98...101 told an upper half.
  private(set) var isPending = false
  /// Controllers 64...69: how often on has become off, and off on, modulo 64. Odd while on.
  private var toggles = InlineArray<6, UInt8>(repeating: 0)

  @_noLocks @_noAllocation
  init() {}

  /// Takes controller 98...101.
  @_noLocks @_noAllocation
  mutating func select(_ controller: UInt8, _ value: UInt7) {
    isPending = controller & 1 == 1
    switch controller {
    case 98: nonRegistered.low = value
    case 99: nonRegistered.high = value
    case 100: registered.low = value
    default: registered.high = value
    }
    isNonRegistered = controller < 100
  }

  /// The parameter that controllers 6, 38, 96 and 97 act upon; null when there is none.
  var selection: Selection {
    @_noLocks @_noAllocation get {
      guard let isNonRegistered else { return Selection() }
      return isNonRegistered ? nonRegistered : registered
    }
  }

  /// A parameter is entered: the lower half, too, is now taken for said.
  @_noLocks @_noAllocation
  mutating func enter() { isPending = false }

  /// The toggles of `controller` after `value`, 0 if it is no pedal.
  @_noLocks @_noAllocation
  mutating func toggle(_ controller: UInt8, _ value: UInt7) -> UInt8 {
    guard controller >= 64, controller <= 69 else { return 0 }
    let index = Int(controller) - 64
    if (toggles[index] & 1 == 1) != (value.value >= 64) { toggles[index] = (toggles[index] + 1) & 63 }
    return toggles[index]
  }

  /// Reset All Controllers: pedals 64...67 are off, and no parameter is chosen (RP-015).
  @_noLocks @_noAllocation
  mutating func resetControllers() {
    bank?.isBeforeReset = true
    (registered, nonRegistered, isNonRegistered, isPending) = (Selection(), Selection(), nil, false)
    for pedal: UInt8 in 64...67 { _ = toggle(pedal, 0) }
  }

  /// Reset.
  @_noLocks @_noAllocation
  mutating func reset() {
    resetControllers()
    for pedal: UInt8 in 68...69 { _ = toggle(pedal, 0) }
    bank = nil
  }
}
