import BasicContainers
import MIDI

/// Recording of sent commands: RFC 6295, appendix A.1 (which commands are active) and appendices A.2...A.9.
extension CheckpointHistory {
  /// Records a command of packet `packet`.
  @_noLocks @_noAllocation
  mutating func record(_ message: Message, in packet: UInt16) {
    switch message {
    case .noteOn(let channel, let key, let velocity):
      if velocity.value == 0 {
        // A Note On with velocity 0 is a Note Off with velocity 64 (MIDI 1.0).
        recordNoteOff(key, velocity: 64, on: channel, in: packet)
      } else {
        recordNoteOn(key, velocity: velocity, on: channel, in: packet)
      }
    case .noteOff(let channel, let key, let velocity):
      recordNoteOff(key, velocity: velocity, on: channel, in: packet)
    case .polyphonicPressure(let channel, let key, let pressure):
      update(HistoryEntry(.a, channel, number: key.value, packet: packet, first: pressure.value))
    case .controlChange(let channel, let controller, let value):
      recordControlChange(controller, value: value, on: channel, in: packet)
    case .programChange(let channel, let program): recordProgram(program, on: channel, in: packet)
    case .channelPressure(let channel, let pressure):
      update(HistoryEntry(.t, channel, packet: packet, first: pressure.value))
    case .pitchBend(let channel, let bend):
      update(HistoryEntry(.w, channel, packet: packet, first: bend.low.value, second: bend.high.value))
    case .reset: recordReset(in: packet)
    default: system.record(message, packet, if: isRecording)
    }
  }

  /// Records the octets from `start` to `end` of a System Exclusive, which are part of packet `packet`.
  ///
  /// - Parameters:
  ///   - data: all data octets of the System Exclusive.
  ///   - isKept: whether the journal contains the data, so that a receiver that lost the packet can recover them.
  @_noLocks @_noAllocation
  mutating func record(
    systemExclusive data: borrowing RigidArray<UInt8>, from start: Int, to end: Int, isKept: Bool, in packet: UInt16
  ) {
    let dropped = exclusives.record(data, from: start, to: end, isKept: isKept, packet: packet, if: isRecording)
    addDiscarded(dropped)
  }

  @_noLocks @_noAllocation
  private mutating func recordNoteOn(_ key: UInt7, velocity: UInt7, on channel: Channel, in packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(key.value)
    let count = references[index] < 127 ? references[index] + 1 : 127
    references[index] = count
    // `third` is 1: the newest command of the note is a Note On.
    update(
      HistoryEntry(
        .n, channel, number: key.value, packet: packet, first: velocity.value, second: count, third: 1))
  }

  @_noLocks @_noAllocation
  private mutating func recordNoteOff(_ key: UInt7, velocity: UInt7, on channel: Channel, in packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(key.value)
    let count = references[index] > 0 ? references[index] - 1 : 0
    references[index] = count
    // `third` is 0: the newest command of the note is a Note Off.
    update(
      HistoryEntry(
        .n, channel, number: key.value, packet: packet, first: velocity.value, second: count, third: 0))
  }

  /// Records a program change. Chapter P contains the bank, so the entries of controllers 0 and 32 are removed.
  @_noLocks @_noAllocation
  private mutating func recordProgram(_ program: UInt7, on channel: Channel, in packet: UInt16) {
    var high: UInt8 = 0
    var low: UInt8 = 0
    if let bank = channels[Int(channel.wire)].bank {
      high = 0x80 | bank.high.value
      low = .bit(0x80, if: bank.isBeforeReset) | bank.low.value
    }
    removeAll(HistoryEntry.chapterID(.c, channel), number: 0)
    removeAll(HistoryEntry.chapterID(.c, channel), number: 32)
    update(HistoryEntry(.p, channel, packet: packet, first: program.value, second: high, third: low))
  }

  /// Records a System Reset, which makes all earlier commands inactive.
  @_noLocks @_noAllocation
  private mutating func recordReset(in packet: UInt16) {
    entries.removeAll()
    exclusives.removeAll()
    parameters.removeAll()
    for channel in 0..<16 { channels[channel].reset() }
    // All notes have ended, so their reference counts are 0.
    for index in 0..<references.count { references[index] = 0 }
    system.reset(packet, if: isRecording)
  }
}

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
      recordSelection(controller, value: value, on: channel, in: packet)
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
