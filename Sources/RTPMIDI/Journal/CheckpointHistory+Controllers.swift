import BasicContainers
import MIDI

/// Recording of control changes (RFC 6295, appendices A.3 and A.4).
extension CheckpointHistory {
  @_noLocks @_noAllocation
  mutating func record(_ controller: UInt7, _ value: UInt7, _ channel: Channel, _ packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(controller.value)
    let count = (controllerCounts[index] + 1) & 63
    controllerCounts[index] = count
    let toggles = channels[Int(channel.wire)].toggle(controller.value, value)
    switch controller.value {
    case 98...101:
      select(controller.value, value, channel, packet)
      return
    case 6, 38, 96, 97: if enter(controller.value, value, channel, packet) { return }
    case 0:
      let low = channels[Int(channel.wire)].bank?.low ?? 0
      channels[Int(channel.wire)].bank = ChapterP.Bank(high: value, low: low, isBeforeReset: false)
    case 32:
      let high = channels[Int(channel.wire)].bank?.high ?? 0
      channels[Int(channel.wire)].bank = ChapterP.Bank(high: high, low: value, isBeforeReset: false)
    case 121: resetControllers(channel)
    case 120, 123...127: endNotes(channel)
    default: break
    }
    let entry = HistoryEntry(.c, channel, controller.value, packet: packet, value.value, count, toggles)
    if isEnhanced { appendLimited(entry) } else { update(entry) }
  }

  /// Selects the encoding of Chapter C. The default encoding keeps only the newest command of each controller.
  @_noLocks @_noAllocation
  mutating func encodeControllers(enhanced: Bool) {
    isEnhanced = enhanced
    guard !enhanced else { return }
    var index = 0
    while index < entries.count {
      if isOlderCommand(index) { entries.remove(at: index) } else { index += 1 }
    }
  }

  /// Whether the entry at `index` is a control change with a newer entry for the same controller.
  @_noLocks @_noAllocation
  private func isOlderCommand(_ index: Int) -> Bool {
    let entry = entries[index]
    guard entry.isControlChange else { return false }
    var other = index + 1
    while other < entries.count {
      if entries[other].chapterID == entry.chapterID, entries[other].number == entry.number { return true }
      other += 1
    }
    return false
  }

  /// Appends an entry for the enhanced Chapter C, which keeps the newest four commands of each controller.
  @_noLocks @_noAllocation
  private mutating func appendLimited(_ entry: HistoryEntry) {
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

  /// Removes the notes after All Sound Off, All Notes Off or one of the four mode messages.
  @_noLocks @_noAllocation
  private mutating func endNotes(_ channel: Channel) {
    var kept = 0
    for index in 0..<entries.count where entries[index].chapterID != HistoryEntry.chapterID(.n, channel) {
      entries[kept] = entries[index]
      kept += 1
    }
    entries.removeLast(entries.count - kept)
    let first = Int(channel.wire) << 7
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
