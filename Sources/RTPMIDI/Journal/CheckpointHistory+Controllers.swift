import BasicContainers
import MIDI

/// Recording of control changes (RFC 6295, appendices A.3 and A.4).
extension CheckpointHistory {
  /// Records a control change that was sent in packet `packet`.
  @_noLocks @_noAllocation
  mutating func recordControlChange(_ controller: UInt7, value: UInt7, on channel: Channel, in packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(controller.value)
    // The fields for counts and toggles in Chapter C have six bits (RFC 6295, appendix A.3).
    let count = (controllerCounts[index] + 1) & 63
    controllerCounts[index] = count
    let toggles = channels[Int(channel.wire)].toggle(controller.value, value)
    switch controller.value {
    case 98...101:  // Non-registered and registered parameter number.
      recordSelection(controller.value, value: value, on: channel, in: packet)
      return
    case 6, 38, 96, 97:  // Data Entry MSB and LSB, Data Increment, Data Decrement.
      if recordParameterChange(controller.value, value: value, on: channel, in: packet) { return }
    case 0:  // Bank Select MSB.
      let low = channels[Int(channel.wire)].bank?.low ?? 0
      channels[Int(channel.wire)].bank = ChapterP.Bank(high: value, low: low, isBeforeReset: false)
    case 32:  // Bank Select LSB.
      let high = channels[Int(channel.wire)].bank?.high ?? 0
      channels[Int(channel.wire)].bank = ChapterP.Bank(high: high, low: value, isBeforeReset: false)
    case 121:  // Reset All Controllers.
      resetControllers(channel)
    case 120, 123...127:  // All Sound Off, All Notes Off, and the four mode messages.
      removeNotes(of: channel)
    default: break
    }
    let entry = HistoryEntry(
      .c, channel, number: controller.value, packet: packet, first: value.value, second: count, third: toggles)
    if isEnhanced { appendKeepingFour(entry) } else { update(entry) }
  }

  /// Selects the encoding of Chapter C. The default encoding keeps only the newest command of each controller.
  @_noLocks @_noAllocation
  mutating func encodeControllers(enhanced: Bool) {
    isEnhanced = enhanced
    guard !enhanced else { return }
    var index = 0
    while index < entries.count {
      if isOlderControlChange(index) { entries.remove(at: index) } else { index += 1 }
    }
  }

  /// Whether the entry at `index` is a control change with a newer entry for the same controller.
  @_noLocks @_noAllocation
  private func isOlderControlChange(_ index: Int) -> Bool {
    let entry = entries[index]
    guard entry.isControlChange else { return false }
    var newer = index + 1
    while newer < entries.count {
      if entries[newer].chapterID == entry.chapterID, entries[newer].number == entry.number { return true }
      newer += 1
    }
    return false
  }

  /// Appends an entry for the enhanced encoding of Chapter C. If there are four entries for the same controller
  /// already, removes the oldest of them. The limit leaves room for other controllers: the chapter has at most 128 logs, two or
  /// three for each entry.
  @_noLocks @_noAllocation
  private mutating func appendKeepingFour(_ entry: HistoryEntry) {
    guard isRecording else { return }
    var oldest: Int?
    var count = 0
    var index = entries.count
    while index > 0 {
      index -= 1
      if entries[index].number == entry.number, entries[index].chapterID == entry.chapterID {
        count += 1
        oldest = index
      }
    }
    if count >= 4, let oldest { entries.remove(at: oldest) }
    append(entry)
  }

  /// Removes all notes of `channel`, because All Sound Off, All Notes Off or a mode message has ended them.
  @_noLocks @_noAllocation
  private mutating func removeNotes(of channel: Channel) {
    var kept = 0
    for index in 0..<entries.count where entries[index].chapterID != HistoryEntry.chapterID(.n, channel) {
      entries[kept] = entries[index]
      kept += 1
    }
    entries.removeLast(entries.count - kept)
    let first = Int(channel.wire) << 7
    // All notes of the channel have ended, so their reference counts are 0.
    for index in first..<first + 128 { references[index] = 0 }
  }

  /// Records Reset All Controllers: removes modulation, expression, pedals 64...67, pitch wheel and pressures, and
  /// deselects the parameter (RP-015). All other controllers keep their values.
  @_noLocks @_noAllocation
  private mutating func resetControllers(_ channel: Channel) {
    var kept = 0
    for index in 0..<entries.count where !entries[index].isReset(on: channel) {
      entries[kept] = entries[index]
      kept += 1
    }
    entries.removeLast(entries.count - kept)
    channels[Int(channel.wire)].resetControllers()
    for index in 0..<parameters.count where parameters[index].channel == channel { parameters[index].reset() }
  }
}
