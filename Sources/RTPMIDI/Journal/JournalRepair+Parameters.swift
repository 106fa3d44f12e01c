import MIDI

// Repair from Chapter M.
extension JournalRepair {
  /// Repairs the value of a parameter. If the values of Data Entry differ, emits Data Entry (6, 38). Then emits increments
  /// (96) or decrements (97), until the number of increments minus decrements since the newest Data Entry equals that of
  /// the sender.
  @_noLocks @_noAllocation
  mutating func repair(_ log: ParameterLog, on channel: Channel, _ state: inout ReceivedState) {
    let selection = ParameterSelection(isNonRegistered: log.isNonRegistered, number: log.number)
    if selection.isNone { return }
    let known = state.parameter(selection, of: channel) ?? ParameterState(channel, selection)
    var emitsHigh = false
    var emitsLow = false
    if let high = log.entryHigh, known.high != high.value.value { emitsHigh = true }
    if let low = log.entryLow, known.low != low.value.value { emitsLow = true }
    // The number of increments minus decrements that the sender has sent since the newest Data Entry.
    var sentSteps = 0
    if let buttons = log.buttons { sentSteps = buttons.steps }
    // The number of increments to emit; if negative, the number of decrements. An emitted Data Entry sets the received
    // number to 0. All of `sentSteps` must then follow.
    var steps = sentSteps - Int(known.steps)
    guard emitsHigh || emitsLow || steps != 0 else { return }
    select(selection, on: channel, &state)
    if emitsHigh, let high = log.entryHigh {
      emit(.controlChange(channel, controller: 6, value: high.value), &state)
      steps = sentSteps
    }
    // The LSB follows each MSB, even if the LSB is known: a receiver sets the LSB to 0 when the MSB arrives (MIDI 1.0).
    if emitsHigh || emitsLow, let low = log.entryLow {
      emit(.controlChange(channel, controller: 38, value: low.value), &state)
      steps = sentSteps
    }
    if steps > 0 { emit(.controlChange(channel, controller: 96, value: 0), times: steps, &state) }
    if steps < 0 { emit(.controlChange(channel, controller: 97, value: 0), times: 0 - steps, &state) }
  }

  /// Repairs the selected parameter, after all logs of the chapter were repaired. The sender has selected one of three:
  /// the upper half of a number whose lower half may follow (pending), the parameter of the last log, or no parameter.
  @_noLocks @_noAllocation
  mutating func repair(
    _ chapter: ChapterM, last: ParameterLog?, on channel: Channel, _ state: inout ReceivedState
  ) {
    if let pending = chapter.pending {
      let known = state.channels[Int(channel.wire)].selection
      let isSame = known.isNonRegistered == pending.flag && known.isPending
      if isSame, known.number.high == pending.value { return }
      let controller: UInt7 = pending.flag ? 99 : 101
      emit(.controlChange(channel, controller: controller, value: pending.value), &state)
    } else if chapter.isInProgress, let last {
      select(ParameterSelection(isNonRegistered: last.isNonRegistered, number: last.number), on: channel, &state)
    } else {
      select(ParameterSelection(), on: channel, &state)
    }
  }

  /// Selects a parameter, or no parameter, by two control changes. Does nothing if the selection is known already.
  @_noLocks @_noAllocation
  private mutating func select(
    _ selection: ParameterSelection, on channel: Channel, _ state: inout ReceivedState
  ) {
    let known = state.channels[Int(channel.wire)].selection
    if !known.isPending {
      if known.isNone, selection.isNone { return }
      if known.isNonRegistered == selection.isNonRegistered, known.number == selection.number { return }
    }
    let (high, low): (UInt7, UInt7) = selection.isNonRegistered ? (99, 98) : (101, 100)
    emit(.controlChange(channel, controller: high, value: selection.number.high), &state)
    emit(.controlChange(channel, controller: low, value: selection.number.low), &state)
  }
}
