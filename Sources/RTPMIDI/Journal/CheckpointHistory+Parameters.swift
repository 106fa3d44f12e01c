import BasicContainers
import MIDI

/// Recording of registered and non-registered parameters (RFC 6295, appendix A.4).
extension CheckpointHistory {
  /// Records one of controllers 98...101, which select a parameter. If the number is not complete yet, or selects no parameter, the
  /// entry has the number ``HistoryEntry/selection`` and gets no log.
  @_noLocks @_noAllocation
  mutating func recordSelection(_ controller: UInt7, value: UInt7, on channel: Channel, in packet: UInt16) {
    channels[Int(channel.wire)].selection.select(controller, value)
    let chapterID = HistoryEntry.chapterID(.m, channel)
    if !channels[Int(channel.wire)].selection.isPending, let index = indexOfSelectedParameter(on: channel) {
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
    channels[Int(channel.wire)].selection.complete()
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
    let selection = channels[Int(channel.wire)].selection
    guard !selection.isNone else { return nil }
    newestUse &+= 1
    var oldest = 0
    for index in 0..<parameters.count {
      let parameter = parameters[index]
      if parameter.channel == channel, parameter.number == selection.number,
        parameter.isNonRegistered == selection.isNonRegistered
      {
        parameters[index].lastUse = newestUse
        return index
      }
      if parameters[index].lastUse < parameters[oldest].lastUse { oldest = index }
    }
    let parameter = ParameterHistory(
      channel: channel, isNonRegistered: selection.isNonRegistered, number: selection.number, lastUse: newestUse)
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

/// The state of one registered or non-registered parameter of a channel, as the stream has sent it.
struct ParameterHistory: BitwiseCopyable {
  let channel: Channel
  let isNonRegistered: Bool
  let number: UInt14
  /// The newest values of Data Entry MSB and LSB, controllers 6 and 38.
  /// The flag: Reset All Controllers was sent later.
  var entryHigh: FlaggedValue?
  var entryLow: FlaggedValue?
  /// The number of increments minus decrements (controllers 96 and 97) since the newest Data Entry.
  var steps: Int16 = 0
  /// Whether Reset All Controllers was sent after the newest command that changed the parameter.
  var stepsAreBeforeReset = false
  /// A counter value that is larger the more recently the parameter was selected or changed.
  var lastUse: UInt32

  /// Records one of controllers 6, 38, 96 and 97.
  @_noLocks @_noAllocation
  mutating func recordChange(_ controller: UInt8, _ value: UInt7) {
    switch controller {
    case 6: (entryHigh, steps) = (FlaggedValue(false, value), 0)
    case 38: (entryLow, steps) = (FlaggedValue(false, value), 0)
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
    entryHigh?.flag = true
    entryLow?.flag = true
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
