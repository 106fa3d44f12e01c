import MIDI

// Repair from a channel journal.
extension JournalRepair {
  @_noLocks @_noAllocation
  mutating func repair(_ chapter: ChapterP, _ channel: Channel, _ state: inout ReceivedState) {
    let index = Int(channel.wire)
    var isKnown = state.channels[index].program == chapter.program.value
    if let bank = chapter.bank {
      if Self.differs(state.channels[index].bankHigh, bank.high) { isKnown = false }
      if Self.differs(state.channels[index].bankLow, bank.low) { isKnown = false }
      if isKnown { return }
      if Self.differs(state.channels[index].controllers[0], bank.high) {
        emit(.controlChange(channel, controller: 0, value: bank.high), &state)
      }
      if Self.differs(state.channels[index].controllers[32], bank.low) {
        emit(.controlChange(channel, controller: 32, value: bank.low), &state)
      }
    }
    if !isKnown { emit(.programChange(channel, program: chapter.program), &state) }
  }

  /// Whether a bank half differs from `value`. A half that was never received is 0.
  @_noLocks @_noAllocation
  private static func differs(_ known: UInt8, _ value: UInt7) -> Bool {
    (known == ChannelState.unknown ? 0 : known) != value.value
  }

  /// Repairs a controller from a log of Chapter C. A value log is compared with the known value. A count log is
  /// compared with the known count of an action, controllers 120...127. In the enhanced encoding, a controller can have
  /// several value logs; the newest one counts.
  @_noLocks @_noAllocation
  mutating func repair(
    _ log: ControllerLog, _ channel: Channel, later: Extent, in packet: borrowing Span<UInt8>,
    _ state: inout ReceivedState
  ) {
    let (index, number) = (Int(channel.wire), Int(log.controller.value))
    switch log.tool {
    case .value(let value):
      if Self.value(of: log.controller, in: later, packet) != nil { return }
      guard state.channels[index].controllers[number] != value.value else { return }
      // The values of parameters are in Chapter M.
      switch number {
      case 6, 38: if !state.channels[index].selection.isNone { return }
      case 96, 97: return
      default: break
      }
      emit(.controlChange(channel, controller: log.controller, value: value), &state)
    case .toggle(let count):
      guard number >= 64, number <= 69 else { return }
      let isNewest = Self.isNewest(log, before: later, packet)
      guard Self.reportsNewCommands(count, isNewest, known: state.channels[index].toggles[number - 64]) else { return }
      let isOdd = (count ^ state.channels[index].toggles[number - 64]) & 1 != 0
      let wasOn = state.channels[index].toggles[number - 64] & 1 != 0
      let value = state.channels[index].controllers[number]
      emit(.controlChange(channel, controller: log.controller, value: wasOn ? 0 : 127), &state)
      if !isOdd {
        let again: UInt7 = value == ChannelState.unknown ? wasOn ? 127 : 0 : UInt7(masking: value)
        emit(.controlChange(channel, controller: log.controller, value: again), &state)
      }
      state.channels[index].toggles[number - 64] = count
    case .count(let count):
      guard number >= 120 else { return }
      let isNewest = Self.isNewest(log, before: later, packet)
      guard Self.reportsNewCommands(count, isNewest, known: state.channels[index].counts[number - 120]) else { return }
      let value = Self.value(of: log.controller, in: later, packet) ?? 0
      emit(.controlChange(channel, controller: log.controller, value: value), &state)
      state.channels[index].counts[number - 120] = count
    }
  }

  /// Whether a count modulo 64 reports new commands. The newest log of a controller does so if its count differs from
  /// the known count, even if the stream was joined late and the count is far ahead. An older log, if there are
  /// several, does so only if it is ahead of the known count.
  @_noLocks @_noAllocation
  private static func reportsNewCommands(_ count: UInt8, _ isNewest: Bool, known: UInt8) -> Bool {
    let difference = (count &- known) & 0x3F
    return difference > 0 && (isNewest || difference < 32)
  }

  /// Whether no log in `later` is for the same controller and tool.
  @_noLocks @_noAllocation
  private static func isNewest(_ log: ControllerLog, before later: Extent, _ packet: borrowing Span<UInt8>) -> Bool {
    var position = later.start
    while let other = ControllerLog(packet, at: &position, end: later.end) {
      guard other.controller == log.controller else { continue }
      switch (log.tool, other.tool) {
      case (.value, .value), (.toggle, .toggle), (.count, .count): return false
      default: break
      }
    }
    return true
  }

  /// The newest value of a controller in these logs; nil if there is none.
  @_noLocks @_noAllocation
  private static func value(
    of controller: UInt7, in logs: Extent, _ packet: borrowing Span<UInt8>
  ) -> UInt7? {
    var position = logs.start
    var newest: UInt7?
    while let log = ControllerLog(packet, at: &position, end: logs.end) {
      if case .value(let value) = log.tool, log.controller == controller { newest = value }
    }
    return newest
  }

  /// Repairs a note that is on at the sender. If the note is off here, or on with another velocity, it is played,
  /// provided that the Y bit recommends it. The reference count then equals that of the sender.
  @_noLocks @_noAllocation
  mutating func repair(
    _ log: NoteLog, _ channel: Channel, extras: Extent, in packet: borrowing Span<UInt8>, _ state: inout ReceivedState
  ) {
    guard log.velocity.value > 0 else { return }
    confirm(log.key, channel)
    let (index, key) = (Int(channel.wire), Int(log.key.value))
    var references = 1
    if let count = Self.references(of: log.key, in: extras, packet), count > 1 { references = count }
    let known = Int(state.channels[index].references[key])
    if known == 0, !log.isPlayRecommended {
      state.channels[index].velocities[key] = 0x80 | log.velocity.value
      state.channels[index].references[key] = UInt8(truncatingIfNeeded: references)
      return
    }
    let differs = state.channels[index].velocities[key] & 0x7F != log.velocity.value
    let ends = known - references + (differs ? 1 : 0)
    if ends > 0 { emit(.noteOff(channel, key: log.key, velocity: 64), times: ends, &state) }
    let begins = references - (ends > 0 ? known - ends : known)
    if begins > 0 { emit(.noteOn(channel, key: log.key, velocity: log.velocity), times: begins, &state) }
  }

  /// Repairs a note whose newest command is a Note Off. Its reference count can still be greater than 0: a lost Note On
  /// is then played with velocity 64, because its velocity is unknown.
  @_noLocks @_noAllocation
  mutating func endNote(
    _ key: UInt7, _ channel: Channel, extras: Extent, in packet: borrowing Span<UInt8>, _ state: inout ReceivedState
  ) {
    let references = Self.references(of: key, in: extras, packet) ?? 0
    if references > 0 { confirm(key, channel) }
    let velocity = Self.releaseVelocity(of: key, in: extras, packet) ?? 64
    let known = Int(state.channels[Int(channel.wire)].references[Int(key.value)])
    if known > references {
      emit(.noteOff(channel, key: key, velocity: velocity), times: known - references, &state)
    } else if known < references {
      emit(.noteOn(channel, key: key, velocity: 64), times: references - known, &state)
    }
  }

  @_noLocks @_noAllocation
  private static func references(of key: UInt7, in logs: Extent, _ packet: borrowing Span<UInt8>) -> Int? {
    var position = logs.start
    while let log = NoteExtraLog(packet, at: &position, end: logs.end) {
      if case .references(let count) = log.extra, log.key == key { return Int(count.value) }
    }
    return nil
  }

  @_noLocks @_noAllocation
  private static func releaseVelocity(of key: UInt7, in logs: Extent, _ packet: borrowing Span<UInt8>) -> UInt7? {
    var position = logs.start
    while let log = NoteExtraLog(packet, at: &position, end: logs.end) {
      if case .releaseVelocity(let velocity) = log.extra, log.key == key { return velocity }
    }
    return nil
  }
}
