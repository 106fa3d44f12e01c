import BasicContainers
import MIDI

/// Recording of registered and non-registered parameters (RFC 6295, appendix A.4).
extension CheckpointHistory {
  /// Records one of controllers 98...101, which select a parameter. If the number is not complete yet, or selects no parameter, the
  /// entry has the number ``HistoryEntry/selection`` and gets no log.
  @_noLocks @_noAllocation
  mutating func recordSelection(_ controller: UInt8, value: UInt7, on channel: Channel, in packet: UInt16) {
    channels[Int(channel.wire)].select(controller, value)
    let chapterID = HistoryEntry.chapterID(.m, channel)
    if !channels[Int(channel.wire)].isPending, let index = indexOfSelectedParameter(on: channel) {
      removeNewest(chapterID, number: HistoryEntry.selection)
      update(HistoryEntry(.m, channel, number: UInt8(truncatingIfNeeded: index), packet: packet))
    } else {
      update(HistoryEntry(.m, channel, number: HistoryEntry.selection, packet: packet))
    }
  }

  /// Records one of controllers 6, 38, 96 and 97, which change the selected parameter.
  ///
  /// - Returns: true if the command was recorded; false, with nothing recorded, if no parameter is selected. In that
  ///   case, the command is an ordinary control change.
  @_noLocks @_noAllocation
  mutating func recordParameterChange(
    _ controller: UInt8, value: UInt7, on channel: Channel, in packet: UInt16
  ) -> Bool {
    guard let index = indexOfSelectedParameter(on: channel) else { return false }
    channels[Int(channel.wire)].completeSelection()
    parameters[index].recordChange(controller, value)
    removeNewest(HistoryEntry.chapterID(.m, channel), number: HistoryEntry.selection)
    update(HistoryEntry(.m, channel, number: UInt8(truncatingIfNeeded: index), packet: packet))
    return true
  }

  /// Returns the index of the selected parameter of `channel` in ``parameters``; nil if none is selected. Adds the
  /// parameter if it is new; if there is no room, it replaces the least recently used one. Marks the parameter as the
  /// most recently used.
  @_noLocks @_noAllocation
  private mutating func indexOfSelectedParameter(on channel: Channel) -> Int? {
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
    discardEntry(ofParameter: oldest)
    parameters[oldest] = parameter
    return oldest
  }

  /// Discards the commands up to the packet with the entry of the parameter at `index`. The checkpoint moves to the packet after
  /// it. Does nothing if the parameter has no entry.
  @_noLocks @_noAllocation
  private mutating func discardEntry(ofParameter index: Int) {
    let chapterID = HistoryEntry.chapterID(.m, parameters[index].channel)
    for entry in 0..<entries.count
    where entries[entry].chapterID == chapterID && entries[entry].number == UInt8(truncatingIfNeeded: index) {
      discard(through: entries[entry].packet)
      return
    }
  }
}
