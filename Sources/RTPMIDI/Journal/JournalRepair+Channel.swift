import MIDI

// Repair from a channel journal.
extension JournalRepair {
  /// Repairs the program and its bank from Chapter P. Emits a program change if the program differs, or if the bank at
  /// the newest program change differs. Controllers 0 and 32 (Bank Select) precede it, each only if its value differs.
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterP, on channel: Channel, _ state: inout ReceivedState) {
    let index = Int(channel.wire)
    var isKnown = state.channels[index].program == chapter.program.value
    if let bank = chapter.bank {
      if Self.differs(state.channels[index].bankHigh, from: bank.high) { isKnown = false }
      if Self.differs(state.channels[index].bankLow, from: bank.low) { isKnown = false }
      if isKnown { return }
      if Self.differs(state.channels[index].controllers[0], from: bank.high) {
        emit(.controlChange(channel, controller: 0, value: bank.high), &state)
      }
      if Self.differs(state.channels[index].controllers[32], from: bank.low) {
        emit(.controlChange(channel, controller: 32, value: bank.low), &state)
      }
    }
    if !isKnown { emit(.programChange(channel, program: chapter.program), &state) }
  }

  /// Whether the known half of a bank number differs from `value`. A half that was never received counts as 0.
  @_noLocks @_noAllocation
  private static func differs(_ known: UInt8, from value: UInt7) -> Bool {
    (known == ChannelState.unknown ? 0 : known) != value.value
  }

  /// Repairs a controller from a log of Chapter C.
  ///
  /// A value log is compared with the known value. In the enhanced encoding (RFC 6295, appendix A.3.3), a controller can
  /// have several value logs; all but the newest are ignored. Toggle logs are used for pedals 64...69 only, and count
  /// logs for channel mode messages (controllers 120...127) only. Both are compared with the known count.
  ///
  /// - Parameter later: the logs after `log` in the chapter.
  @_noLocks @_noAllocation
  mutating func repair(
    _ log: NumberedLog, on channel: Channel, later: Extent, in packet: borrowing Span<UInt8>,
    _ state: inout ReceivedState
  ) {
    let (index, number) = (Int(channel.wire), Int(log.number.value))
    switch log.tool {
    case .value(let value):
      if Self.newestValue(of: log.number, in: later, of: packet) != nil { return }
      guard state.channels[index].controllers[number] != value.value else { return }
      // Chapter M repairs Data Entry (6, 38) while a parameter is selected. Chapter C never repairs increments and
      // decrements (96, 97), because their values do not show how many were lost.
      switch number {
      case 6, 38: if !state.channels[index].selection.isNone { return }
      case 96, 97: return
      default: break
      }
      emit(.controlChange(channel, controller: log.number, value: value), &state)
    case .toggle(let count):
      guard number >= 64, number <= 69 else { return }
      let knownCount = state.channels[index].toggles[number - 64]
      let isNewest = Self.isNewest(log, before: later, in: packet)
      guard Self.reportsNewCommands(count, isNewest: isNewest, known: knownCount) else { return }
      // The pedal is on if its toggle count is odd. If the two counts differ by an odd number, the pedal has changed,
      // and one message repairs it. Otherwise, the pedal has changed and changed back, which takes two messages.
      let hasChanged = (count ^ knownCount) & 1 != 0
      let wasOn = knownCount & 1 != 0
      let oldValue = state.channels[index].controllers[number]
      emit(.controlChange(channel, controller: log.number, value: wasOn ? 0 : 127), &state)
      if !hasChanged {
        let restored: UInt7 = oldValue == ChannelState.unknown ? (wasOn ? 127 : 0) : UInt7(masking: oldValue)
        emit(.controlChange(channel, controller: log.number, value: restored), &state)
      }
      state.channels[index].toggles[number - 64] = count
    case .count(let count):
      guard number >= 120 else { return }
      let isNewest = Self.isNewest(log, before: later, in: packet)
      guard
        Self.reportsNewCommands(count, isNewest: isNewest, known: state.channels[index].counts[number - 120])
      else { return }
      // One command repairs any number of lost commands. Its value comes from a later value log, or is 0.
      let value = Self.newestValue(of: log.number, in: later, of: packet) ?? 0
      emit(.controlChange(channel, controller: log.number, value: value), &state)
      state.channels[index].counts[number - 120] = count
    }
  }

  /// Whether a log with the count `count`, modulo 64, reports commands that were not received.
  ///
  /// The newest log of a controller does so if its count differs from the known count. The difference can have any
  /// size, because the receiver may have joined the stream late. An older log does so only if its count is ahead of the known
  /// count, that is, if the difference modulo 64 is less than 32.
  @_noLocks @_noAllocation
  private static func reportsNewCommands(_ count: UInt8, isNewest: Bool, known: UInt8) -> Bool {
    let difference = (count &- known) & 0x3F
    return difference > 0 && (isNewest || difference < 32)
  }

  /// Whether no log in `later` is for the same controller and tool.
  @_noLocks @_noAllocation
  private static func isNewest(
    _ log: NumberedLog, before later: Extent, in packet: borrowing Span<UInt8>
  ) -> Bool {
    var position = later.start
    // The position is compared first, because an error that `try?` discards is allocated.
    while position < later.end, let other = try? NumberedLog(packet, at: &position, end: later.end) {
      guard other.number == log.number else { continue }
      switch (log.tool, other.tool) {
      case (.value, .value), (.toggle, .toggle), (.count, .count): return false
      default: break
      }
    }
    return true
  }

  /// Returns the newest value of a controller in the logs `logs` of Chapter C; nil if they contain no value of it.
  @_noLocks @_noAllocation
  private static func newestValue(
    of controller: UInt7, in logs: Extent, of packet: borrowing Span<UInt8>
  ) -> UInt7? {
    var position = logs.start
    var newest: UInt7?
    while position < logs.end, let log = try? NumberedLog(packet, at: &position, end: logs.end) {
      if case .value(let value) = log.tool, log.number == controller { newest = value }
    }
    return newest
  }

  /// Repairs a note whose newest command is a Note On. Afterwards, its reference count (the number of Note Ons without
  /// Note Off) equals that of the sender.
  ///
  /// A note that is off at the local peer is played only if the Y bit of the log recommends that. A note that is on with
  /// another velocity gets the velocity of the sender by a Note On. Note Offs come first if the reference count would
  /// otherwise be too high.
  ///
  /// - Parameter extras: the logs of Chapter E of the channel.
  @_noLocks @_noAllocation
  mutating func repair(
    _ log: NumberedLog, on channel: Channel, extras: Extent, in packet: borrowing Span<UInt8>,
    _ state: inout ReceivedState
  ) {
    // A log with velocity 0 is invalid.
    guard log.value.value > 0 else { return }
    // If the journal does not cover the loss, `endNextUnconfirmedNote(_:)` later ends all notes that are not confirmed.
    confirm(log.number, on: channel)
    let (index, key) = (Int(channel.wire), Int(log.number.value))
    // Without a log in Chapter E, the reference count is 1.
    var references = 1
    if let count = Self.extra(of: log.number, isVelocity: false, in: extras, of: packet), count.value > 1 {
      references = Int(count.value)
    }
    let known = Int(state.channels[index].references[key])
    if known == 0, !log.flag {
      // Bit 7 marks a note that is held at the sender but was not played here.
      state.channels[index].velocities[key] = 0x80 | log.value.value
      state.channels[index].references[key] = UInt8(truncatingIfNeeded: references)
      return
    }
    let differs = state.channels[index].velocities[key] & 0x7F != log.value.value
    // Note Offs end the surplus Note Ons. If the velocity differs, there is one more Note Off, so that a Note On with the
    // right velocity follows. If the number is 0 or less, no Note Off is needed: either nothing differs, or Note Ons are
    // missing, which also set the velocity.
    let noteOffs = known - references + (differs ? 1 : 0)
    if noteOffs > 0 { emit(.noteOff(channel, key: log.number, velocity: 64), times: noteOffs, &state) }
    let noteOns = references - (noteOffs > 0 ? known - noteOffs : known)
    if noteOns > 0 { emit(.noteOn(channel, key: log.number, velocity: log.value), times: noteOns, &state) }
  }

  /// Repairs a note whose newest command is a Note Off. Afterwards, its reference count (the number of Note Ons without
  /// Note Off) equals that of the sender. It can still be greater than 0. The velocity of a lost Note On is unknown;
  /// the Note On is emitted with velocity 64, the value of devices without velocity (MIDI 1.0).
  ///
  /// - Parameter extras: the logs of Chapter E of the channel.
  @_noLocks @_noAllocation
  mutating func repairNoteOff(
    _ key: UInt7, on channel: Channel, extras: Extent, in packet: borrowing Span<UInt8>, _ state: inout ReceivedState
  ) {
    let references = Int((Self.extra(of: key, isVelocity: false, in: extras, of: packet) ?? 0).value)
    if references > 0 { confirm(key, on: channel) }
    let velocity = Self.extra(of: key, isVelocity: true, in: extras, of: packet) ?? 64
    let known = Int(state.channels[Int(channel.wire)].references[Int(key.value)])
    if known > references {
      emit(.noteOff(channel, key: key, velocity: velocity), times: known - references, &state)
    } else if known < references {
      emit(.noteOn(channel, key: key, velocity: 64), times: references - known, &state)
    }
  }

  /// Returns the reference count of a note, or its release velocity if `isVelocity` is true, in the logs `logs` of
  /// Chapter E; nil if they do not contain it.
  @_noLocks @_noAllocation
  private static func extra(
    of key: UInt7, isVelocity: Bool, in logs: Extent, of packet: borrowing Span<UInt8>
  ) -> UInt7? {
    var position = logs.start
    while position < logs.end, let log = try? NumberedLog(packet, at: &position, end: logs.end) {
      if log.flag == isVelocity, log.number == key { return log.value }
    }
    return nil
  }
}
