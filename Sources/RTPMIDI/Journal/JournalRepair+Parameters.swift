import MIDI

// Chapter M.
extension JournalRepair {
  /// Makes a parameter's value the sender's: by Data Entry where that differs, then by as many steps up or down as the
  /// sender has made since.
  @_noLocks @_noAllocation
  mutating func repair(_ log: ParameterLog, _ channel: Channel, _ state: inout ReceivedState) {
    let selection = ParameterSelection(isNonRegistered: log.isNonRegistered, number: log.number)
    if selection.isNone { return }
    let known = state.parameter(selection, of: channel) ?? ParameterState(channel, selection)
    var enters = false
    var entersLow = false
    if let high = log.entryHigh, known.high != high.value.value { enters = true }
    if let low = log.entryLow, known.low != low.value.value { entersLow = true }
    var told = 0
    if let buttons = log.buttons { told = buttons.steps }
    var steps = told - Int(known.steps)
    guard enters || entersLow || steps != 0 else { return }
    select(selection, channel, &state)
    if enters, let high = log.entryHigh {
      give(.controlChange(channel, controller: 6, value: high.value), &state)
      steps = told
    }
    if enters || entersLow, let low = log.entryLow {
      give(.controlChange(channel, controller: 38, value: low.value), &state)
      steps = told
    }
    if steps > 0 { give(.controlChange(channel, controller: 96, value: 0), times: steps, &state) }
    if steps < 0 { give(.controlChange(channel, controller: 97, value: 0), times: 0 - steps, &state) }
  }

  /// At the chapter's end: what is selected, or half selected, with the sender is so here.
  @_noLocks @_noAllocation
  mutating func repair(
    _ chapter: ChapterM, last: ParameterLog?, _ channel: Channel, _ state: inout ReceivedState
  ) {
    if let pending = chapter.pending {
      let known = state.channels[Int(channel.wire)].selection
      let isSame = known.isNonRegistered == pending.isNonRegistered && known.isPending
      if isSame, known.number.high == pending.high { return }
      let controller: UInt7 = pending.isNonRegistered ? 99 : 101
      give(.controlChange(channel, controller: controller, value: pending.high), &state)
    } else if chapter.isInProgress, let last {
      select(ParameterSelection(isNonRegistered: last.isNonRegistered, number: last.number), channel, &state)
    } else {
      select(ParameterSelection(), channel, &state)
    }
  }

  @_noLocks @_noAllocation
  private mutating func select(_ selection: ParameterSelection, _ channel: Channel, _ state: inout ReceivedState) {
    let known = state.channels[Int(channel.wire)].selection
    if !known.isPending {
      if known.isNone, selection.isNone { return }
      if known.isNonRegistered == selection.isNonRegistered, known.number == selection.number { return }
    }
    let (high, low): (UInt7, UInt7) = selection.isNonRegistered ? (99, 98) : (101, 100)
    give(.controlChange(channel, controller: high, value: selection.number.high), &state)
    give(.controlChange(channel, controller: low, value: selection.number.low), &state)
  }
}
