import BasicContainers
import MIDI

/// Registered and non-registered parameters (RFC 6295, appendix A.4).
extension CheckpointHistory {
  /// Takes controller 98...101.
  @_noLocks @_noAllocation
  mutating func select(_ controller: UInt8, _ value: UInt7, _ channel: Channel, _ packet: UInt16) {
    channels[Int(channel.wire)].select(controller, value)
    let place = HistoryEntry.place(.m, channel)
    if !channels[Int(channel.wire)].isPending, let index = selectedParameter(channel) {
      remove(place, HistoryEntry.selection)
      note(HistoryEntry(.m, channel, UInt8(truncatingIfNeeded: index), packet: packet))
    } else {
      note(HistoryEntry(.m, channel, HistoryEntry.selection, packet: packet))
    }
  }

  /// Takes controller 6, 38, 96 or 97; false when no parameter is chosen, and it is one like any other.
  @_noLocks @_noAllocation
  mutating func enter(_ controller: UInt8, _ value: UInt7, _ channel: Channel, _ packet: UInt16) -> Bool {
    guard let index = selectedParameter(channel) else { return false }
    channels[Int(channel.wire)].enter()
    parameters[index].enter(controller, value)
    remove(HistoryEntry.place(.m, channel), HistoryEntry.selection)
    note(HistoryEntry(.m, channel, UInt8(truncatingIfNeeded: index), packet: packet))
    return true
  }

  /// The place of the channel's chosen parameter, found or made, which is now the one used last; nil when none is chosen.
  @_noLocks @_noAllocation
  private mutating func selectedParameter(_ channel: Channel) -> Int? {
    let state = channels[Int(channel.wire)]
    guard let isNonRegistered = state.isNonRegistered, !state.selection.isNull else { return nil }
    let number = UInt14(low: state.selection.low, high: state.selection.high)
    parameterUse &+= 1
    var oldest = 0
    for index in 0..<parameters.count {
      let parameter = parameters[index]
      if parameter.number == number, parameter.channel == channel, parameter.isNonRegistered == isNonRegistered {
        parameters[index].use = parameterUse
        return index
      }
      if parameters[index].use < parameters[oldest].use { oldest = index }
    }
    let parameter = ParameterHistory(
      channel: channel, isNonRegistered: isNonRegistered, number: number, use: parameterUse)
    if parameters.freeCapacity > 0 {
      parameters.append(parameter)
      return parameters.count - 1
    }
    forgetParameter(oldest)
    parameters[oldest] = parameter
    return oldest
  }

  /// Gives up a parameter: what was said of it, and all before that, is forgotten.
  @_noLocks @_noAllocation
  private mutating func forgetParameter(_ index: Int) {
    let place = HistoryEntry.place(.m, parameters[index].channel)
    for entry in 0..<entries.count
    where entries[entry].place == place && entries[entry].number == UInt8(truncatingIfNeeded: index) {
      forget(through: entries[entry].packet)
      return
    }
  }
}
