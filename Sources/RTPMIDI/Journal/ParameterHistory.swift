import MIDI

/// What a stream has said of one registered or non-registered parameter of a channel.
struct ParameterHistory: BitwiseCopyable {
  let channel: Channel
  let isNonRegistered: Bool
  let number: UInt14
  private var entryHigh: ParameterLog.Field?
  private var entryLow: ParameterLog.Field?
  /// Increments less decrements since the newest entry.
  private var steps: Int16 = 0
  private var stepsAreBeforeReset = false
  /// Larger than that of all others when the parameter is chosen or entered.
  var use: UInt32

  @_noLocks @_noAllocation
  init(channel: Channel, isNonRegistered: Bool, number: UInt14, use: UInt32) {
    (self.channel, self.isNonRegistered, self.number, self.use) = (channel, isNonRegistered, number, use)
  }

  /// Takes controller 6, 38, 96 or 97.
  @_noLocks @_noAllocation
  mutating func enter(_ controller: UInt8, _ value: UInt7) {
    switch controller {
    case 6: (entryHigh, steps) = (ParameterLog.Field(value, isBeforeReset: false), 0)
    case 38: (entryLow, steps) = (ParameterLog.Field(value, isBeforeReset: false), 0)
    default:
      let next = controller == 96 ? steps + 1 : steps - 1
      if next >= -16383, next <= 16383 { steps = next }
    }
    stepsAreBeforeReset = false
  }

  /// Reset All Controllers has come. It leaves the parameter as it is (RP-015).
  @_noLocks @_noAllocation
  mutating func reset() {
    entryHigh?.isBeforeReset = true
    entryLow?.isBeforeReset = true
    stepsAreBeforeReset = true
  }

  @_noLocks @_noAllocation
  func log(s: Bool) -> ParameterLog {
    ParameterLog(
      s: s, isNonRegistered: isNonRegistered, number: number, entryHigh: entryHigh, entryLow: entryLow,
      buttons: steps == 0 ? nil : ParameterLog.Button(Int(steps), isBeforeReset: stepsAreBeforeReset),
      buttonsSinceReset: nil, count: nil, usesCountTool: false, usesValueTool: true)
  }
}
