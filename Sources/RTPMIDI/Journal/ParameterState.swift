import MIDI

/// The received value of one registered or non-registered parameter of one channel.
struct ParameterState: BitwiseCopyable {
  /// The channel, 0...15.
  let channel: UInt8
  let isNonRegistered: Bool
  /// The parameter number, 0...16383.
  let number: UInt16
  /// The newest values of Data Entry MSB and LSB; ``ChannelState/unknown`` before the first ones.
  private(set) var high = ChannelState.unknown
  private(set) var low = ChannelState.unknown
  /// The number of Data Increments minus Data Decrements since the newest Data Entry.
  private(set) var steps: Int16 = 0

  @_noLocks @_noAllocation
  init(_ channel: Channel, _ selection: ParameterSelection) {
    self.channel = channel.wire
    (isNonRegistered, number) = (selection.isNonRegistered, selection.number.value)
  }

  /// Whether this is the parameter that `selection` selects on `channel`.
  @_noLocks @_noAllocation
  func isSelected(by selection: ParameterSelection, of channel: Channel) -> Bool {
    guard self.channel == channel.wire, number == selection.number.value else { return false }
    return isNonRegistered == selection.isNonRegistered
  }

  /// Applies one of controllers 6, 38, 96 and 97.
  @_noLocks @_noAllocation
  mutating func applyChange(_ controller: UInt7, _ value: UInt7) {
    switch controller.value {
    case 6: (high, steps) = (value.value, 0)
    case 38: (low, steps) = (value.value, 0)
    case 96: if steps < 16383 { steps += 1 }
    case 97: if steps > -16383 { steps -= 1 }
    default: break
    }
  }
}
