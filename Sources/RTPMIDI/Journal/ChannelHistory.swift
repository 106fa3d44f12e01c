import MIDI

/// The bank, the selected parameter and the toggle counts of the pedals of one channel, as the stream has sent them.
///
/// Some chapters of the recovery journal depend on these values, even if the commands that set them were sent before the
/// checkpoint.
struct ChannelHistory: BitwiseCopyable {
  /// The number of a parameter, as sent by controllers 98 and 99 or by 100 and 101. Both halves are 127 before the
  /// first of these commands; this number selects no parameter.
  struct Selection: BitwiseCopyable {
    var high: UInt7 = 127
    var low: UInt7 = 127

    @_noLocks @_noAllocation
    init() {}

    /// Whether the number selects no parameter, that is, whether both halves are 127.
    var isNull: Bool { @_noLocks @_noAllocation get { high.value & low.value == 127 } }
  }

  /// Controllers 0 and 32; nil if neither has been sent.
  var bank: ChapterP.Bank?
  private var registered = Selection()
  private var nonRegistered = Selection()
  /// Whether the newest parameter number is non-registered; nil if no number has been sent.
  private(set) var isNonRegistered: Bool?
  /// Whether the newest of controllers 98...101 was 99 or 101, the upper half of a number. The lower half may follow.
  private(set) var isPending = false
  /// For each of controllers 64...69, the number of changes between off (below 64) and on, modulo 64. Odd while on.
  private var toggles = InlineArray<6, UInt8>(repeating: 0)

  @_noLocks @_noAllocation
  init() {}

  /// Records one of controllers 98...101.
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

  /// The parameter that controllers 6, 38, 96 and 97 act on; null if none is selected.
  var selection: Selection {
    @_noLocks @_noAllocation get {
      guard let isNonRegistered else { return Selection() }
      return isNonRegistered ? nonRegistered : registered
    }
  }

  /// Records that a command has changed the selected parameter, so its number is complete. If only the upper half has
  /// been sent, the lower half keeps its earlier value.
  @_noLocks @_noAllocation
  mutating func completeSelection() { isPending = false }

  /// Records the new value of `controller`.
  ///
  /// - Returns: the toggle count of the controller; 0 if the controller is not one of 64...69.
  @_noLocks @_noAllocation
  mutating func toggle(_ controller: UInt8, _ value: UInt7) -> UInt8 {
    guard controller >= 64, controller <= 69 else { return 0 }
    let index = Int(controller) - 64
    if (toggles[index] & 1 == 1) != (value.value >= 64) { toggles[index] = (toggles[index] + 1) & 63 }
    return toggles[index]
  }

  /// Records Reset All Controllers: pedals 64...67 are off, and no parameter is selected (RP-015).
  @_noLocks @_noAllocation
  mutating func resetControllers() {
    bank?.isBeforeReset = true
    (registered, nonRegistered, isNonRegistered, isPending) = (Selection(), Selection(), nil, false)
    for pedal: UInt8 in 64...67 { _ = toggle(pedal, 0) }
  }

  /// Records System Reset.
  @_noLocks @_noAllocation
  mutating func reset() {
    resetControllers()
    for pedal: UInt8 in 68...69 { _ = toggle(pedal, 0) }
    bank = nil
  }
}
