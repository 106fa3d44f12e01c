import BasicContainers
import MIDI

/// Recording of registered and non-registered parameters (RFC 6295, appendix A.4).
extension CheckpointHistory {
  /// Records one of controllers 98...101.
  @_noLocks @_noAllocation
  mutating func select(_ controller: UInt8, _ value: UInt7, _ channel: Channel, _ packet: UInt16) {
    channels[Int(channel.wire)].select(controller, value)
    let chapterID = HistoryEntry.chapterID(.m, channel)
    if !channels[Int(channel.wire)].isPending, let index = selectedParameter(channel) {
      remove(chapterID, HistoryEntry.selection)
      update(HistoryEntry(.m, channel, UInt8(truncatingIfNeeded: index), packet: packet))
    } else {
      update(HistoryEntry(.m, channel, HistoryEntry.selection, packet: packet))
    }
  }

  /// Records one of controllers 6, 38, 96 and 97.
  ///
  /// - Returns: false if no parameter is selected; the command is then an ordinary control change.
  @_noLocks @_noAllocation
  mutating func enter(_ controller: UInt8, _ value: UInt7, _ channel: Channel, _ packet: UInt16) -> Bool {
    guard let index = selectedParameter(channel) else { return false }
    channels[Int(channel.wire)].enter()
    parameters[index].enter(controller, value)
    remove(HistoryEntry.chapterID(.m, channel), HistoryEntry.selection)
    update(HistoryEntry(.m, channel, UInt8(truncatingIfNeeded: index), packet: packet))
    return true
  }

  /// The index of the selected parameter of the channel; nil if none is selected. Adds the parameter if it is new, and
  /// marks it as the most recently used.
  @_noLocks @_noAllocation
  private mutating func selectedParameter(_ channel: Channel) -> Int? {
    let state = channels[Int(channel.wire)]
    guard let isNonRegistered = state.isNonRegistered, !state.selection.isNull else { return nil }
    let number = UInt14(low: state.selection.low, high: state.selection.high)
    newestUse &+= 1
    var oldest = 0
    for index in 0..<parameters.count {
      let parameter = parameters[index]
      if parameter.number == number, parameter.channel == channel, parameter.isNonRegistered == isNonRegistered {
        parameters[index].lastUse = newestUse
        return index
      }
      if parameters[index].lastUse < parameters[oldest].lastUse { oldest = index }
    }
    let parameter = ParameterHistory(
      channel: channel, isNonRegistered: isNonRegistered, number: number, lastUse: newestUse)
    if parameters.freeCapacity > 0 {
      parameters.append(parameter)
      return parameters.count - 1
    }
    forgetParameter(oldest)
    parameters[oldest] = parameter
    return oldest
  }

  /// Discards a parameter, with its entry and all older entries.
  @_noLocks @_noAllocation
  private mutating func forgetParameter(_ index: Int) {
    let chapterID = HistoryEntry.chapterID(.m, parameters[index].channel)
    for entry in 0..<entries.count
    where entries[entry].chapterID == chapterID && entries[entry].number == UInt8(truncatingIfNeeded: index) {
      discard(through: entries[entry].packet)
      return
    }
  }
}
