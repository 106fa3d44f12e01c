import MIDI

/// The state of one registered or non-registered parameter of a channel, as the stream has sent it.
struct ParameterHistory: BitwiseCopyable {
  let channel: Channel
  let isNonRegistered: Bool
  let number: UInt14
  /// The newest values of Data Entry MSB and LSB, controllers 6 and 38.
  private var entryHigh: ParameterLog.Field?
  private var entryLow: ParameterLog.Field?
  /// The number of increments minus decrements (controllers 96 and 97) since the newest Data Entry.
  private var steps: Int16 = 0
  /// Whether Reset All Controllers was sent after the newest command that changed the parameter.
  private var stepsAreBeforeReset = false
  /// A counter value that is larger the more recently the parameter was selected or changed.
  var lastUse: UInt32

  @_noLocks @_noAllocation
  init(channel: Channel, isNonRegistered: Bool, number: UInt14, lastUse: UInt32) {
    (self.channel, self.isNonRegistered, self.number, self.lastUse) = (channel, isNonRegistered, number, lastUse)
  }

  /// Records one of controllers 6, 38, 96 and 97.
  @_noLocks @_noAllocation
  mutating func recordChange(_ controller: UInt8, _ value: UInt7) {
    switch controller {
    case 6: (entryHigh, steps) = (ParameterLog.Field(value, isBeforeReset: false), 0)
    case 38: (entryLow, steps) = (ParameterLog.Field(value, isBeforeReset: false), 0)
    default:
      let next = controller == 96 ? steps + 1 : steps - 1
      // The field A-BUTTON has 14 bits and a sign.
      if next >= -16383, next <= 16383 { steps = next }
    }
    stepsAreBeforeReset = false
  }

  /// Records Reset All Controllers. This command does not change the parameter (RP-015). The X bits of the log mark the
  /// commands that were sent before it.
  @_noLocks @_noAllocation
  mutating func reset() {
    entryHigh?.isBeforeReset = true
    entryLow?.isBeforeReset = true
    stepsAreBeforeReset = true
  }

  /// Returns the log of the parameter with the S bit `s`.
  @_noLocks @_noAllocation
  func log(s: Bool) -> ParameterLog {
    ParameterLog(
      s: s, isNonRegistered: isNonRegistered, number: number, entryHigh: entryHigh, entryLow: entryLow,
      buttons: steps == 0 ? nil : ParameterLog.Button(Int(steps), isBeforeReset: stepsAreBeforeReset),
      buttonsSinceReset: nil, count: nil, usesCountTool: false, usesValueTool: true)
  }
}
